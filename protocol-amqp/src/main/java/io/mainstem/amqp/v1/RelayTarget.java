package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.message.MessageHeader;
import io.mainstem.routing.message.SectionScanner.BareMessage;
import java.util.ArrayDeque;
import java.util.List;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.jspecify.annotations.Nullable;

/**
 * The anonymous relay: every message names its own address in {@code properties.to}. Messages stay in order, also
 * while a queue that one of them names is being made. Thread: the connection's event loop.
 */
final class RelayTarget implements PublishTarget {
    private final MessageIngress ingress;
    private final BrokerSession broker;
    private final AddressResolver addresses;
    /** Messages behind one whose queue is being made; null while there is none. */
    private @Nullable ArrayDeque<Runnable> behind;

    RelayTarget(MessageIngress ingress, BrokerSession broker, AddressResolver addresses) {
        this.ingress = ingress;
        this.broker = broker;
        this.addresses = addresses;
    }

    @Override
    public void publish(@Nullable MessageHeader header, List<byte[]> payload, long tag, InboundLink link) {
        BareMessage message = ingress.parse(header, payload);
        ArrayDeque<Runnable> queue = behind;
        if (queue != null) {
            link.postponed();
            queue.add(() -> {
                link.resumed();
                ingress.peek(message);
                route(message, tag, link);
                link.replenish();
            });
        } else {
            route(message, tag, link);
        }
    }

    private void route(BareMessage message, long tag, InboundLink link) {
        try {
            Address address = address(message);
            if (address instanceof Address.QueueNode node && broker.queue(node.name()) == null) {
                if (!node.autoCreate()) {
                    link.reject(tag, new ErrorCondition(AmqpError.NOT_FOUND, "MS-0504 no queue '" + node.name() + "'"));
                    return;
                }
                if (mayPublish(node, tag, link)) {
                    make(node, message, tag, link);
                }
                return;
            }
            send(address, message, tag, link);
        } catch (AmqpException refused) {
            // A bad address of one message must not end the link of all others.
            link.reject(tag, rejection(refused));
        }
    }

    /** a malformed address is a failed precondition here. */
    private static ErrorCondition rejection(AmqpException refused) {
        boolean malformed = AmqpError.INVALID_FIELD.equals(refused.condition());
        return malformed
                ? new ErrorCondition(AmqpError.PRECONDITION_FAILED, refused.getMessage())
                : refused.toErrorCondition();
    }

    private Address address(BareMessage message) {
        String to = ingress.to(message);
        if (to == null || to.isEmpty()) {
            throw AmqpException.link(AmqpError.INVALID_FIELD, "MS-0502 message on the anonymous relay without 'to'");
        }
        Address.Kind kind = ingress.jmsDestination(message);
        Address address = addresses.resolve(to, kind);
        if (address instanceof Address.TopicNode node && AddressResolver.hasWildcardWord(node.key())) {
            throw AmqpException.link(
                    AmqpError.INVALID_FIELD, "MS-0502 cannot publish to topic pattern '" + node.key() + "'");
        }
        return address;
    }

    /** What may not be sent makes no queue, and is not refused for that. */
    private boolean mayPublish(Address.QueueNode node, long tag, InboundLink link) {
        try {
            broker.requirePublish("", node.name());
            return true;
        } catch (BrokerException refused) {
            link.reject(tag, AmqpErrors.of(refused));
            return false;
        }
    }

    private void make(Address.QueueNode node, BareMessage message, long tag, InboundLink link) {
        behind = new ArrayDeque<>();
        AutoCreation.make(broker, node.name()).whenComplete((made, failure) -> {
            if (failure != null) {
                link.reject(tag, AmqpErrors.of(failure));
            } else {
                sendMade(node, message, tag, link);
            }
            resume();
            link.session.connection().scheduleFlush();
        });
    }

    /** A refusal must not get lost here, and with it all that waits behind this message. */
    private void sendMade(Address.QueueNode node, BareMessage message, long tag, InboundLink link) {
        try {
            ingress.peek(message);
            send(node, message, tag, link);
        } catch (AmqpException refused) {
            link.reject(tag, rejection(refused));
        }
    }

    private void resume() {
        ArrayDeque<Runnable> waiting = behind;
        behind = null;
        while (waiting != null && !waiting.isEmpty() && behind == null) {
            waiting.poll().run();
        }
        if (behind != null && waiting != null) {
            // One of them waits for a queue of its own now; the rest goes behind it.
            behind.addAll(waiting);
        }
    }

    private void send(Address address, BareMessage message, long tag, InboundLink link) {
        String exchange = NodeTarget.exchange(address);
        List<String> keys = List.of(NodeTarget.key(address));
        link.publish(ingress.build(message, exchange, keys), tag, NodeTarget.acceptsUnroutable(address));
    }
}
