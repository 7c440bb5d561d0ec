package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.address.PercentCoding;
import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.SubscriptionKind;
import io.mainstem.routing.selector.Selector;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.TerminusDurability;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.jspecify.annotations.Nullable;

/**
 * Finds or makes what a source names: a queue, a temporary one, or the queue of a subscription.
 *
 * <p>Thread: the connection's event loop.
 */
final class SourceFeeds {
    static final Symbol COPY = Symbol.valueOf("copy");

    private final BrokerSession broker;
    private final AddressResolver addresses;
    private final Subscriptions subscriptions;
    private final DynamicNodeMaking making;

    SourceFeeds(
            BrokerSession broker, AddressResolver addresses, Subscriptions subscriptions, DynamicNodeMaking making) {
        this.broker = broker;
        this.addresses = addresses;
        this.subscriptions = subscriptions;
        this.making = making;
    }

    /** Completes with what the link is to consume from. @throws AmqpException for the link */
    CompletionStage<Feed> feed(String linkName, Source asked, SourceFilters filters) {
        if (asked.getDynamic()) {
            return dynamic(asked, filters, NodeProperties.of(asked));
        }
        NodeProperties.requireNone(asked);
        if (asked.getAddress() == null) {
            throw AmqpException.link(AmqpError.INVALID_FIELD, "MS-0502 source without address");
        }
        Address address = addresses.resolve(asked.getAddress(), Capabilities.kind(asked.getCapabilities()));
        DynamicNode somebodys = making.find(NodeTarget.key(address));
        CompletionStage<Feed> feed = address instanceof Address.QueueNode node
                ? queue(asked, filters.ofQueue(), node)
                : subscription(linkName, asked, filters, address);
        return feed.thenApply(found -> found.of(somebodys));
    }

    /** [J-4]: a copy is a browser on queues only; on topics everybody gets a copy anyway. */
    private CompletionStage<Feed> queue(Source asked, SourceFilters filters, Address.QueueNode node) {
        Feed.Kind kind = COPY.equals(asked.getDistributionMode()) ? Feed.Kind.BROWSE : Feed.Kind.COMPETE;
        TerminusLife life = TerminusLife.of(asked);
        Feed feed = new Feed(node.name(), kind, false, filters.selector(), granted(asked, filters, life), life, null);
        if (broker.queue(node.name()) != null) {
            return CompletableFuture.completedFuture(feed);
        }
        // Looking at a queue never makes it.
        if (!node.autoCreate() || kind == Feed.Kind.BROWSE) {
            throw AmqpException.link(
                    AmqpError.NOT_FOUND,
                    "MS-0504 no queue '" + node.name() + "' fix: correct the name, or declare the queue first");
        }
        return AutoCreation.make(broker, node.name()).thenApply(made -> feed);
    }

    private CompletionStage<Feed> subscription(String linkName, Source asked, SourceFilters filters, Address address) {
        Subscriptions.Topic topic = subscriptions.topic(address, filters);
        if (!broker.exchangeExists(topic.exchange())) {
            throw AmqpException.link(AmqpError.NOT_FOUND, "MS-0504 no exchange '" + topic.exchange() + "'");
        }
        TerminusLife life = TerminusLife.of(asked);
        boolean shared = Capabilities.has(asked.getCapabilities(), Capabilities.SHARED);
        boolean global = Capabilities.has(asked.getCapabilities(), Capabilities.GLOBAL);
        SubscriptionName name = subscriptions.name(linkName, global);
        Source granted = granted(asked, filters, life, Capabilities.SHARED, Capabilities.GLOBAL);
        if (life.survivesConnection()) {
            // [S-1] One name for shared and unshared: whichever was there first keeps it until it is unsubscribed.
            return subscriptions
                    .makeDurable(name, topic, life, shared ? SubscriptionKind.SHARED : SubscriptionKind.UNSHARED)
                    .thenApply(queue -> new Feed(
                            queue, Feed.Kind.SUBSCRIPTION, !shared, null, granted, life, () -> dropIfUnused(queue)));
        }
        if (shared) {
            return subscriptions
                    .makeVolatile(name, topic)
                    .thenApply(queue -> new Feed(queue, Feed.Kind.VOLATILE, false, null, granted, life, null));
        }
        return subscriptions
                .makeNonDurable(topic)
                .thenApply(queue -> new Feed(queue, Feed.Kind.OWN, true, null, granted, life, null));
    }

    /** Other consumers of a shared subscription keep it. */
    private CompletionStage<?> dropIfUnused(String queue) {
        return broker.deleteQueue(queue, true, false).handle((dropped, inUse) -> dropped);
    }

    private CompletionStage<Feed> dynamic(Source asked, SourceFilters filters, NodeProperties properties) {
        TerminusLife life = TerminusLife.ofDynamic(asked);
        return making.make(properties, life.expiry()).thenCompose(node -> {
            if (!properties.topic()) {
                Source granted = dynamicSource(asked, filters.ofQueue(), life, properties, node);
                return CompletableFuture.completedFuture(
                        ofNode(node.address(), false, filters.ofQueue().selector(), granted, life, node));
            }
            // To be heard by its owner is what it is for: the subscription is there before somebody knows the address.
            Subscriptions.Topic topic = subscriptions.topic(new Address.TopicNode(node.address()), filters);
            Source granted = dynamicSource(asked, filters, life, properties, node);
            return subscriptions
                    .makeNonDurable(topic)
                    .thenApply(queue -> ofNode(queue, true, null, granted, life, node))
                    .whenComplete((made, failure) -> {
                        if (failure != null) {
                            var unused = node.ended();
                        }
                    });
        });
    }

    private static Feed ofNode(
            String queue,
            boolean exclusive,
            @Nullable Selector selector,
            Source granted,
            TerminusLife life,
            DynamicNode node) {
        return new Feed(queue, Feed.Kind.OWN, exclusive, selector, granted, life, node::ended, node, true);
    }

    private static Source dynamicSource(
            Source asked, SourceFilters filters, TerminusLife life, NodeProperties properties, DynamicNode node) {
        // RabbitMQ's direct reply-to: the responder's relay takes v2 addresses [mapping 5.4].
        boolean replies = Capabilities.has(asked.getCapabilities(), Capabilities.VOLATILE_QUEUE);
        Source granted = granted(asked, filters, life, Capabilities.VOLATILE_QUEUE);
        granted.setAddress(
                replies && !properties.topic() ? "/queues/" + PercentCoding.encode(node.address()) : node.address());
        granted.setDynamic(true);
        granted.setDynamicNodeProperties(properties.granted());
        granted.setExpiryPolicy(life.expiry());
        granted.setTimeout(null);
        return granted;
    }

    /** [J-5]: what is in force, and nothing that was only asked for. */
    private static Source granted(Source asked, SourceFilters filters, TerminusLife life, Symbol... capabilities) {
        Source source = new Source();
        source.setAddress(asked.getAddress());
        // Which deliveries are unsettled is not on disk: after a crash they are in the queue again.
        boolean durable = life.durable() && life.survivesConnection();
        source.setDurable(durable ? TerminusDurability.CONFIGURATION : TerminusDurability.NONE);
        source.setExpiryPolicy(asked.getExpiryPolicy());
        source.setTimeout(asked.getTimeout());
        source.setDistributionMode(asked.getDistributionMode());
        source.setFilter(filters.honoured().isEmpty() ? null : filters.honoured());
        source.setDefaultOutcome(asked.getDefaultOutcome());
        source.setOutcomes(asked.getOutcomes());
        source.setCapabilities(Capabilities.granted(asked.getCapabilities(), Capabilities.nodesAnd(capabilities)));
        return source;
    }
}
