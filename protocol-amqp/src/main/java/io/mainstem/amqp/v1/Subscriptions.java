package io.mainstem.amqp.v1;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.QueueInfo;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.SubscriptionKind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Subscriptions as queues with derived names [mapping 2.1], bound once. Thread: the connection's event loop.
 */
final class Subscriptions {
    /** Says for how long a terminus is kept, in ms, as RabbitMQ's queues say it. */
    private static final String EXPIRES = "x-expires";

    private final BrokerSession broker;
    private final String clientId;
    private final Runnable flushSoon;

    /** @param flushSoon to be called after calls of the broker that no frame has led to */
    Subscriptions(BrokerSession broker, String clientId, Runnable flushSoon) {
        this.broker = broker;
        this.clientId = clientId;
        this.flushSoon = flushSoon;
    }

    /** Where a subscription listens, and to what of it. */
    record Topic(String exchange, String key, Map<String, Object> arguments) {
        static Topic of(Address address, Map<String, Object> arguments) {
            return new Topic(NodeTarget.exchange(address), NodeTarget.key(address), arguments);
        }

        private BindingSpec binding(String queue) {
            return new BindingSpec(exchange, queue, true, key, arguments);
        }
    }

    /** What the source's filters make of a topic [S-11]. */
    Topic topic(Address address, SourceFilters filters) {
        return Topic.of(address, filters.toArguments(clientId));
    }

    /** @param global no client's own, but one for all */
    SubscriptionName name(String linkName, boolean global) {
        return SubscriptionName.of(linkName, clientId, global);
    }

    /** A queue that goes with its only consumer; completes with its name. */
    CompletionStage<String> makeNonDurable(Topic topic) {
        String name = SubscriptionName.NON_DURABLE + UUID.randomUUID();
        QueueSpec spec = new QueueSpec(name, false, true, true, true, Map.of());
        return make(spec.ownedBy(broker.owner()), topic);
    }

    /** A queue that goes with its last consumer, and is refused to those who want to hear something else [S-2]. */
    CompletionStage<String> makeVolatile(SubscriptionName name, Topic topic) {
        QueueSpec spec = new QueueSpec(name.volatileQueue(), false, true, false, true, name.attributes());
        return make(owned(spec, name), topic);
    }

    /**
     * The queue of a subscription that outlives its consumers: made, resumed, or made anew if it listened to something
     * else [S-2]; completes with its name, or exceptionally if it would have to be made anew under its consumers, or is
     * of the other kind [S-1].
     */
    CompletionStage<String> makeDurable(SubscriptionName name, Topic topic, TerminusLife life, SubscriptionKind kind) {
        QueueInfo found = broker.queue(name.durableQueue());
        // A found one keeps its timeout: an argument of a queue is for its life.
        QueueSpec spec = found != null && found.spec().durable() == life.durable() ? found.spec() : spec(name, life);
        return make(kind.recordedIn(spec), topic);
    }

    /** A client's own belongs to its user, whoever else has that client id. */
    private QueueSpec owned(QueueSpec spec, SubscriptionName name) {
        return name.client().isEmpty() ? spec : spec.ownedBy(broker.owner());
    }

    private QueueSpec spec(SubscriptionName name, TerminusLife life) {
        Map<String, Object> arguments = new HashMap<>(name.attributes());
        if (!life.isEndless()) {
            arguments.put(EXPIRES, life.timeoutMs());
        }
        return owned(new QueueSpec(name.durableQueue(), life.durable(), false, false, true, arguments), name);
    }

    private CompletionStage<String> make(QueueSpec spec, Topic topic) {
        CompletionStage<QueueInfo> declared = broker.declareSubscription(spec, topic.binding(spec.name()));
        flushSoon.run();
        return declared.thenApply(made -> spec.name());
    }

    /** Nobody will consume from this one; failure means that it is gone, or that somebody does. */
    void drop(String queue) {
        broker.deleteQueue(queue, true, false);
        flushSoon.run();
    }

    /** Where the subscription queue listens, or null if it is bound nowhere. */
    @Nullable
    Topic topicOf(String queue) {
        List<BindingSpec> bindings = broker.bindingsOf(queue);
        for (BindingSpec binding : bindings) {
            if (!binding.source().isEmpty()) {
                return new Topic(binding.source(), binding.key(), binding.arguments());
            }
        }
        return null;
    }
}
