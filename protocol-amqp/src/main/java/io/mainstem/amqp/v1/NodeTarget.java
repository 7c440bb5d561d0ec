package io.mainstem.amqp.v1;

import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.TemporaryNames;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.MessageHeader;
import java.util.List;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.jspecify.annotations.Nullable;

/** A target whose exchange and key were settled when the link attached. Thread: the connection's event loop. */
final class NodeTarget implements PublishTarget {
    private final MessageIngress ingress;
    private final BrokerSession broker;
    private final Address address;
    private final String exchange;
    private final List<String> keys;
    private final boolean acceptUnroutable;

    NodeTarget(MessageIngress ingress, BrokerSession broker, Address address) {
        this.ingress = ingress;
        this.broker = broker;
        this.address = address;
        this.exchange = exchange(address);
        this.keys = List.of(key(address));
        this.acceptUnroutable = acceptsUnroutable(address);
    }

    @Override
    public void publish(@Nullable MessageHeader header, List<byte[]> payload, long tag, InboundLink link) {
        Message message = ingress.build(ingress.parse(header, payload), exchange, keys);
        link.publish(message, tag, acceptUnroutable);
    }

    @Override
    public @Nullable ErrorCondition gone() {
        if (address instanceof Address.QueueNode node && broker.queue(node.name()) == null) {
            if (TemporaryNames.isQueue(node.name())) {
                return null; // Each message is rejected, as those to temporary topics are [J-7].
            }
            return deleted("queue '" + node.name() + "'");
        }
        return broker.exchangeExists(exchange) ? null : deleted("exchange '" + exchange + "'");
    }

    private static ErrorCondition deleted(String node) {
        return new ErrorCondition(
                AmqpError.RESOURCE_DELETED,
                "MS-0555 " + node + " has been deleted fix: make it again, then open a new sender or producer");
    }

    static String exchange(Address address) {
        if (address instanceof Address.ExchangeNode node) {
            return node.exchange();
        }
        return address instanceof Address.TopicNode ? AddressResolver.TOPIC_EXCHANGE : "";
    }

    static String key(Address address) {
        if (address instanceof Address.ExchangeNode node) {
            return node.key();
        }
        if (address instanceof Address.TopicNode node) {
            return node.key();
        }
        return ((Address.QueueNode) address).name();
    }

    /** [J-2]. */
    static boolean acceptsUnroutable(Address address) {
        return address instanceof Address.TopicNode;
    }
}
