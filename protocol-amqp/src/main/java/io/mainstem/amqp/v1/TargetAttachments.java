package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.BrokerSession;
import java.util.Map;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedLong;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.messaging.TerminusDurability;
import org.apache.qpid.proton.amqp.messaging.TerminusExpiryPolicy;
import org.apache.qpid.proton.amqp.transaction.Coordinator;
import org.apache.qpid.proton.amqp.transaction.TxnCapability;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.apache.qpid.proton.amqp.transport.ReceiverSettleMode;
import org.apache.qpid.proton.amqp.transport.SenderSettleMode;
import org.jspecify.annotations.Nullable;

/**
 * Attaches links on which the peer sends: resolves the target, makes what may be made, answers or refuses.
 *
 * <p>Thread: the connection's event loop.
 */
final class TargetAttachments {
    private final BrokerSession broker;
    private final MessageIngress ingress;
    private final AddressResolver addresses;
    private final Transactions transactions;
    private final ManagementLinks management;
    private final AmqpLimits limits;
    private final DynamicNodeMaking making;

    TargetAttachments(
            BrokerSession broker,
            MessageIngress ingress,
            AddressResolver addresses,
            Transactions transactions,
            ManagementLinks management,
            AmqpLimits limits,
            DynamicNodeMaking making) {
        this.broker = broker;
        this.ingress = ingress;
        this.addresses = addresses;
        this.transactions = transactions;
        this.management = management;
        this.limits = limits;
        this.making = making;
    }

    void attach(InboundLink link, Attach request) {
        try {
            resolve(link, request);
        } catch (AmqpException refused) {
            refuse(link, request, refused.toErrorCondition());
        }
    }

    private void resolve(InboundLink link, Attach request) {
        if (request.getTarget() instanceof Coordinator coordinator) {
            attachCoordinator(link, request, coordinator);
            return;
        }
        if (!(request.getTarget() instanceof Target target)) {
            throw AmqpException.link(AmqpError.INVALID_FIELD, "MS-0502 attach without target");
        }
        if (target.getDynamic()) {
            makeTemporary(link, request, target, NodeProperties.of(target));
            return;
        }
        NodeProperties.requireNone(target);
        if (target.getAddress() == null) {
            link.attached(reply(link, request, target), new RelayTarget(ingress, broker, addresses), null);
        } else if (target.getAddress().equals(ManagementLinks.ADDRESS)) {
            management.attachRequests(link, request, common(link, request));
        } else {
            attachNode(link, request, target);
        }
    }

    private void attachCoordinator(InboundLink link, Attach request, Coordinator asked) {
        Coordinator granted = new Coordinator();
        granted.setCapabilities(Capabilities.granted(
                asked.getCapabilities(),
                TxnCapability.LOCAL_TXN,
                TxnCapability.DISTRIBUTED_TXN,
                TxnCapability.MULTI_TXNS_PER_SSN,
                TxnCapability.MULTI_SSNS_PER_TXN));
        Attach reply = common(link, request);
        reply.setTarget(granted);
        link.attached(reply, new CoordinatorTarget(transactions), null);
    }

    private void attachNode(InboundLink link, Attach request, Target target) {
        Address address = addresses.resolve(target.getAddress(), Capabilities.kind(target.getCapabilities()));
        requirePublish(address);
        link.joins(making.find(NodeTarget.key(address)));
        if (address instanceof Address.QueueNode node) {
            attachQueue(link, request, target, node);
            return;
        }
        if (address instanceof Address.TopicNode node && AddressResolver.hasWildcardWord(node.key())) {
            // not-found is what JMS clients make InvalidDestinationException of.
            throw AmqpException.link(
                    AmqpError.NOT_FOUND, "MS-0504 cannot publish to topic pattern '" + node.key() + "'");
        }
        String exchange = NodeTarget.exchange(address);
        if (!broker.exchangeExists(exchange)) {
            throw AmqpException.link(AmqpError.NOT_FOUND, "MS-0504 no exchange '" + exchange + "'");
        }
        link.attached(reply(link, request, target), new NodeTarget(ingress, broker, address), null);
    }

    /** A link on which every message would be rejected is refused. */
    private void requirePublish(Address address) {
        try {
            broker.requirePublish(NodeTarget.exchange(address), NodeTarget.key(address));
        } catch (BrokerException refused) {
            throw AmqpException.link(AmqpErrors.condition(refused.kind()), String.valueOf(refused.getMessage()));
        }
    }

    private void attachQueue(InboundLink link, Attach request, Target target, Address.QueueNode node) {
        if (broker.queue(node.name()) != null) {
            link.attached(reply(link, request, target), new NodeTarget(ingress, broker, node), null);
            return;
        }
        if (!node.autoCreate()) {
            throw AmqpException.link(AmqpError.NOT_FOUND, "MS-0504 no queue '" + node.name() + "'");
        }
        AutoCreation.make(broker, node.name()).whenComplete((made, failure) -> {
            if (failure != null) {
                refuse(link, request, AmqpErrors.of(failure));
            } else {
                link.attached(reply(link, request, target), new NodeTarget(ingress, broker, node), null);
            }
            link.session.connection().scheduleFlush();
        });
    }

    /** [J-7]: the link that makes a node also is how it is deleted. */
    private void makeTemporary(InboundLink link, Attach request, Target asked, NodeProperties properties) {
        TerminusLife life = TerminusLife.ofDynamic(asked);
        making.make(properties, life.expiry()).whenComplete((node, failure) -> {
            if (failure != null) {
                refuse(link, request, AmqpErrors.of(failure));
            } else {
                link.owns(node);
                Address address = AddressResolver.temporary(node.address());
                link.attached(
                        dynamicReply(link, request, asked, properties.granted(), node.address()),
                        new NodeTarget(ingress, broker, address),
                        node::ended);
            }
            link.session.connection().scheduleFlush();
        });
    }

    private Attach dynamicReply(
            InboundLink link, Attach request, Target asked, Map<Symbol, Object> properties, String address) {
        Target target = granted(asked);
        target.setAddress(address);
        target.setDynamic(true);
        target.setDynamicNodeProperties(properties);
        target.setExpiryPolicy(TerminusLife.ofDynamic(asked).expiry());
        Attach reply = common(link, request);
        reply.setTarget(target);
        return reply;
    }

    private Attach reply(InboundLink link, Attach request, Target asked) {
        Attach reply = common(link, request);
        reply.setTarget(granted(asked));
        return reply;
    }

    private Attach common(InboundLink link, Attach request) {
        Attach reply = link.attachReply(request);
        reply.setSource(request.getSource());
        reply.setMaxMessageSize(UnsignedLong.valueOf(limits.messageBytesMax()));
        if (reply.getSndSettleMode() == null) {
            reply.setSndSettleMode(SenderSettleMode.MIXED);
        }
        if (reply.getRcvSettleMode() == null) {
            reply.setRcvSettleMode(ReceiverSettleMode.FIRST);
        }
        return reply;
    }

    /** Nothing is kept of a target (ADR 0070): it is over with the detach, and there is nothing to survive the broker. */
    private static Target granted(Target asked) {
        Target target = new Target();
        target.setAddress(asked.getAddress());
        target.setDurable(TerminusDurability.NONE);
        target.setExpiryPolicy(TerminusExpiryPolicy.LINK_DETACH);
        target.setCapabilities(Capabilities.granted(asked.getCapabilities(), Capabilities.nodesAnd()));
        return target;
    }

    private void refuse(InboundLink link, Attach request, @Nullable ErrorCondition error) {
        Attach refusal = common(link, request);
        refusal.setTarget(null);
        link.refuse(refusal, error == null ? new ErrorCondition(AmqpError.INTERNAL_ERROR, "") : error);
    }
}
