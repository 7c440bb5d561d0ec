package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ConsumerHandle;
import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.QueueSpec;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.qpid.proton.amqp.DescribedType;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.UnsignedLong;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.TerminusDurability;
import org.apache.qpid.proton.amqp.messaging.TerminusExpiryPolicy;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.apache.qpid.proton.amqp.transport.SenderSettleMode;
import org.jspecify.annotations.Nullable;

/**
 * Attaches links on which the broker sends: resolves the source, makes queue or subscription where that is allowed,
 * attaches a consumer, answers or refuses.
 *
 * <p>Thread: the connection's event loop.
 */
final class SourceAttachments {
    private static final Symbol COPY = Symbol.valueOf("copy");
    private static final Symbol SELECTOR = Symbol.valueOf("apache.org:selector-filter:string");
    private static final UnsignedLong SELECTOR_CODE = UnsignedLong.valueOf(0x0000468C00000004L);
    private static final Symbol NO_LOCAL = Symbol.valueOf("apache.org:no-local-filter:list");
    private static final UnsignedLong NO_LOCAL_CODE = UnsignedLong.valueOf(0x0000468C00000003L);

    private final BrokerSession broker;
    private final Subscriptions subscriptions;
    private final TemporaryNodes temporaryNodes;

    SourceAttachments(BrokerSession broker, Subscriptions subscriptions, TemporaryNodes temporaryNodes) {
        this.broker = broker;
        this.subscriptions = subscriptions;
        this.temporaryNodes = temporaryNodes;
    }

    /**
     * What a link consumes from.
     *
     * @param temporary the queue was made for this link alone, and is of no use without it
     * @param onClosed takes the queue away when the peer closes the link, or null
     */
    private record Feed(
            String queue,
            boolean exclusive,
            boolean browse,
            boolean temporary,
            Source granted,
            @Nullable Closing onClosed) {}

    /** Takes away what a link was for; completes when that is done. */
    private interface Closing {
        CompletionStage<?> close();
    }

    /** The link, not attached yet. */
    OutboundLink link(AmqpSession session, Attach request) {
        Source asked = source(request);
        Outcome onLoss = asked == null ? Outcome.RELEASED : Outcomes.onLoss(asked);
        return new OutboundLink(session, request, request.getSndSettleMode() == SenderSettleMode.SETTLED, onLoss);
    }

    private static @Nullable Source source(Attach request) {
        return request.getSource() instanceof Source source ? source : null;
    }

    void attach(OutboundLink link, Attach request) {
        Source asked = source(request);
        try {
            if (asked == null) {
                lookUp(link, request);
            } else {
                feed(link, asked)
                        .thenCompose(feed -> consume(link, request, feed, Outcomes.onLoss(asked)))
                        .exceptionally(failure -> {
                            refuse(link, request, AmqpErrors.of(failure));
                            link.session.connection().scheduleFlush();
                            return null;
                        });
            }
        } catch (AmqpException refused) {
            refuse(link, request, refused.toErrorCondition());
        }
    }

    // ---- what to consume from --------------------------------------------------------------------------------

    private CompletionStage<Feed> feed(OutboundLink link, Source asked) {
        checkFilters(asked);
        if (Capabilities.has(asked.getCapabilities(), Capabilities.SHARED)) {
            throw notImplemented("shared subscriptions");
        }
        if (asked.getDynamic()) {
            return temporaryNodes
                    .makeQueue()
                    .thenApply(made -> dynamicFeed(asked, made.spec().name()));
        }
        if (asked.getAddress() == null) {
            throw AmqpException.link(AmqpError.INVALID_FIELD, "MS-0502 source without address");
        }
        Address address = AddressResolver.resolve(asked.getAddress(), Capabilities.kind(asked.getCapabilities()));
        if (address instanceof Address.QueueNode node) {
            return queueFeed(asked, node);
        }
        return subscriptionFeed(link, asked, address);
    }

    private CompletionStage<Feed> queueFeed(Source asked, Address.QueueNode node) {
        Feed feed = new Feed(node.name(), false, COPY.equals(asked.getDistributionMode()), false, granted(asked), null);
        if (broker.queue(node.name()) != null) {
            return CompletableFuture.completedFuture(feed);
        }
        if (!node.autoCreate()) {
            throw AmqpException.link(AmqpError.NOT_FOUND, "MS-0504 no queue '" + node.name() + "'");
        }
        return broker.declareQueue(QueueSpec.durable(node.name())).thenApply(made -> feed);
    }

    private CompletionStage<Feed> subscriptionFeed(OutboundLink link, Source asked, Address address) {
        Subscriptions.Topic topic = Subscriptions.Topic.of(address);
        temporaryNodes.checkOwnTopic(topic.key());
        if (!broker.exchangeExists(topic.exchange())) {
            throw AmqpException.link(AmqpError.NOT_FOUND, "MS-0504 no exchange '" + topic.exchange() + "'");
        }
        boolean durable = (asked.getDurable() != null && asked.getDurable() != TerminusDurability.NONE)
                || asked.getExpiryPolicy() == TerminusExpiryPolicy.NEVER;
        if (durable) {
            return subscriptions
                    .makeDurable(link.name, topic)
                    .thenApply(queue -> new Feed(queue, true, false, false, granted(asked), () -> unsubscribe(queue)));
        }
        return subscriptions
                .makeNonDurable(topic)
                .thenApply(queue -> new Feed(queue, true, false, true, granted(asked), null));
    }

    private Feed dynamicFeed(Source asked, String queue) {
        Source granted = granted(asked);
        granted.setAddress(queue);
        granted.setDynamic(true);
        granted.setDynamicNodeProperties(asked.getDynamicNodeProperties());
        return new Feed(queue, false, false, true, granted, () -> broker.deleteQueue(queue, false, false));
    }

    private static void checkFilters(Source asked) {
        if (asked.getFilter() == null) {
            return;
        }
        // [J-6] By descriptor: clients disagree on the keys. Filters of other kinds are dropped, and so not echoed.
        for (Object filter : ((Map<?, ?>) asked.getFilter()).values()) {
            Object descriptor = filter instanceof DescribedType described ? described.getDescriptor() : null;
            if (SELECTOR.equals(descriptor) || SELECTOR_CODE.equals(descriptor)) {
                throw notImplemented("selectors");
            }
            if (NO_LOCAL.equals(descriptor) || NO_LOCAL_CODE.equals(descriptor)) {
                throw notImplemented("no-local filters");
            }
        }
    }

    private static AmqpException notImplemented(String what) {
        return AmqpException.link(AmqpError.NOT_IMPLEMENTED, "MS-0503 " + what + " are not implemented");
    }

    // ---- attaching -------------------------------------------------------------------------------------------

    private CompletionStage<?> consume(OutboundLink link, Attach request, Feed feed, Outcome onLoss) {
        boolean presettled = request.getSndSettleMode() == SenderSettleMode.SETTLED;
        ConsumerSpec spec = new ConsumerSpec(link.name, feed.exclusive(), feed.browse(), presettled, 0, onLoss);
        CompletionStage<ConsumerHandle> attached = broker.consume(feed.queue(), spec, link);
        link.session.connection().scheduleFlush();
        return attached.whenComplete((consumer, failure) -> {
                    if (failure != null && feed.temporary()) {
                        subscriptions.drop(feed.queue());
                    }
                })
                .thenAccept(consumer -> {
                    Attach reply = reply(link, request);
                    reply.setSource(feed.granted());
                    Closing closing = feed.onClosed();
                    link.attached(
                            reply,
                            consumer,
                            feed.browse(),
                            closing == null ? null : () -> closeThenDetach(link, closing));
                    if (feed.temporary() && !link.isAttached()) {
                        subscriptions.drop(feed.queue());
                    }
                    link.session.connection().scheduleFlush();
                });
    }

    /** Null source: does the subscription of this name exist, and what is it [mapping 4.6]. */
    private void lookUp(OutboundLink link, Attach request) {
        String queue = subscriptions.durableName(link.name);
        Subscriptions.Topic topic = broker.queue(queue) == null ? null : subscriptions.topicOf(queue);
        if (topic == null) {
            throw AmqpException.link(AmqpError.NOT_FOUND, "MS-0504 no subscription '" + link.name + "'");
        }
        Source source = new Source();
        boolean ofTopics = topic.exchange().equals(AddressResolver.TOPIC_EXCHANGE);
        source.setAddress(ofTopics ? topic.key() : "/exchanges/" + topic.exchange() + "/" + topic.key());
        source.setDurable(TerminusDurability.UNSETTLED_STATE);
        source.setExpiryPolicy(TerminusExpiryPolicy.NEVER);
        source.setDistributionMode(COPY);
        if (ofTopics) {
            source.setCapabilities(Capabilities.TOPIC);
        }
        Attach reply = reply(link, request);
        reply.setSource(source);
        link.attachedIdle(reply, () -> closeThenDetach(link, () -> unsubscribe(queue)));
    }

    private CompletionStage<?> unsubscribe(String queue) {
        return broker.deleteQueue(queue, true, false).handle((dropped, failure) -> {
            if (failure != null && AmqpErrors.isInUse(failure)) {
                throw AmqpException.link(AmqpError.RESOURCE_LOCKED, "MS-0504 the subscription has other consumers");
            }
            return dropped;
        });
    }

    private static void closeThenDetach(OutboundLink link, Closing closing) {
        closing.close().whenComplete((done, failure) -> {
            link.finishDetach(true, failure == null ? null : AmqpErrors.of(failure));
            link.session.connection().scheduleFlush();
        });
    }

    private static Attach reply(OutboundLink link, Attach request) {
        Attach reply = link.attachReply(request);
        boolean presettled = request.getSndSettleMode() == SenderSettleMode.SETTLED;
        reply.setSndSettleMode(presettled ? SenderSettleMode.SETTLED : SenderSettleMode.UNSETTLED);
        reply.setTarget(request.getTarget());
        reply.setInitialDeliveryCount(UnsignedInteger.ZERO);
        return reply;
    }

    /** [J-5]: what is in force, and nothing that was only asked for. */
    private static Source granted(Source asked) {
        Source source = new Source();
        source.setAddress(asked.getAddress());
        source.setDurable(asked.getDurable());
        source.setExpiryPolicy(asked.getExpiryPolicy());
        source.setTimeout(asked.getTimeout());
        source.setDistributionMode(asked.getDistributionMode());
        source.setDefaultOutcome(asked.getDefaultOutcome());
        source.setOutcomes(asked.getOutcomes());
        source.setCapabilities(Capabilities.granted(
                asked.getCapabilities(),
                Capabilities.QUEUE,
                Capabilities.TOPIC,
                Capabilities.TEMPORARY_QUEUE,
                Capabilities.TEMPORARY_TOPIC));
        return source;
    }

    private static void refuse(OutboundLink link, Attach request, ErrorCondition error) {
        Attach refusal = reply(link, request);
        refusal.setSource(null);
        link.refuse(refusal, error);
    }
}
