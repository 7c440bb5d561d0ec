package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.routing.BrokerSession;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.TerminusDurability;
import org.apache.qpid.proton.amqp.messaging.TerminusExpiryPolicy;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.jspecify.annotations.Nullable;

/**
 * Links without a source: they ask what the durable subscription of their name is, and by closing end it [mapping 4.6].
 *
 * <p>Thread: the connection's event loop.
 */
final class SubscriptionLookup {
    private final BrokerSession broker;
    private final Subscriptions subscriptions;

    SubscriptionLookup(BrokerSession broker, Subscriptions subscriptions) {
        this.broker = broker;
        this.subscriptions = subscriptions;
    }

    /** Attaches without a consumer. @throws AmqpException not-found for the link */
    void attach(OutboundLink link, Attach request, Attach reply) {
        boolean global = Capabilities.has(request.getDesiredCapabilities(), Capabilities.GLOBAL);
        SubscriptionName name = subscriptions.name(link.name, global);
        String queue = name.durableQueue();
        Subscriptions.Topic topic = broker.queue(queue) == null ? null : subscriptions.topicOf(queue);
        if (topic == null) {
            throw AmqpException.link(
                    AmqpError.NOT_FOUND,
                    "MS-0504 no " + (global ? "global " : "") + "subscription '" + name.name() + "'"
                            + (global ? "" : " of container '" + name.client() + "'"));
        }
        reply.setSource(source(topic));
        link.attachedIdle(reply, () -> unsubscribe(name, queue));
    }

    private static Source source(Subscriptions.Topic topic) {
        boolean ofTopics = topic.exchange().equals(AddressResolver.TOPIC_EXCHANGE);
        Source source = new Source();
        source.setAddress(ofTopics ? topic.key() : "/exchanges/" + topic.exchange() + "/" + topic.key());
        source.setDurable(TerminusDurability.CONFIGURATION);
        source.setExpiryPolicy(TerminusExpiryPolicy.NEVER);
        source.setDistributionMode(SourceFeeds.COPY);
        Map<Symbol, Object> filters = SourceFilters.stored(topic.arguments());
        source.setFilter(filters.isEmpty() ? null : filters);
        if (ofTopics) {
            source.setCapabilities(Capabilities.TOPIC);
        }
        return source;
    }

    private CompletionStage<@Nullable Long> unsubscribe(SubscriptionName name, String queue) {
        return broker.deleteQueue(queue, true, false).handle((dropped, failure) -> {
            if (failure != null && AmqpErrors.isInUse(failure)) {
                throw AmqpException.link(
                        AmqpError.RESOURCE_LOCKED,
                        "MS-0551 subscription '" + name.name() + "' has consumers fix: close them first");
            }
            return dropped;
        });
    }
}
