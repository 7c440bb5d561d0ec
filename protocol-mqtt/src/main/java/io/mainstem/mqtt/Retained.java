package io.mainstem.mqtt;

import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.RetainedTopics;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.topology.TopicNames;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Retained messages for a new subscription: put into the session's queue like all others, so that they are acknowledged,
 * repeated and ordered as such. An exchange that nobody can publish to marks them; the second key is the filter's, whose
 * options alone count for them; the third tells it from others of its topic. Thread: the connection's event loop.
 */
final class Retained {
    static final String EXCHANGE = RetainedTopics.COPIES;
    /** Index of the key that says which one it is. */
    private static final int VERSION = 2;

    private Retained() {}

    static boolean isOne(Envelope envelope) {
        return envelope.exchange().equals(EXCHANGE);
    }

    /** The filter for which it was put into the queue. */
    static String filter(Envelope envelope) {
        return TopicNames.swap(envelope.keys().get(1));
    }

    /**
     * True if another message has been retained for its topic since it was put into the queue: that one comes, or came,
     * by the subscription itself, and the old one must not come behind it.
     */
    static boolean isSuperseded(BrokerSession broker, Envelope envelope) {
        // Those of an earlier version of the broker do not say which one they are.
        return envelope.keys().size() > VERSION
                && !broker.retained()
                        .isLast(
                                envelope.routingKey(),
                                Long.parseUnsignedLong(envelope.keys().get(VERSION), 16));
    }

    /**
     * Some of what is retained for a filter, ready for the queue of its session.
     *
     * @param settled of {@link RetainedTopics#settled} since the subscription is there
     * @param after the last key that was looked at, "" at the beginning
     * @return the last key looked at now, or null if there are no more
     */
    static @Nullable String page(
            BrokerSession broker,
            Subscription subscription,
            long settled,
            String after,
            int limit,
            long nowMs,
            Consumer<Message> found) {
        String filter = subscription.filter();
        RetainedTopics.Look look = new RetainedTopics.Look(
                TopicNames.swap(literalPrefix(filter)),
                key -> TopicNames.mappable(key) && SubscriptionSet.matches(filter, TopicNames.swap(key)),
                settled);
        return broker.retained()
                .page(
                        look,
                        after,
                        limit,
                        nowMs,
                        (message, version) ->
                                found.accept(copy(message, subscription, List.of(Long.toUnsignedString(version, 16)))));
    }

    private static String literalPrefix(String filter) {
        int end = 0;
        while (end < filter.length() && filter.charAt(end) != '+' && filter.charAt(end) != '#') {
            end++;
        }
        // "a/#" is also asked for "a".
        return end > 0 && end < filter.length() && filter.charAt(end) == '#'
                ? filter.substring(0, end - 1)
                : filter.substring(0, end);
    }

    /** The message as it is put into the queue of a session for that subscription; it is never superseded. */
    static Message copy(Message message, Subscription subscription) {
        return copy(message, subscription, List.of());
    }

    private static Message copy(Message message, Subscription subscription, List<String> version) {
        Envelope e = message.envelope();
        List<String> keys = new ArrayList<>(List.of(e.routingKey(), subscription.key()));
        keys.addAll(version);
        int qos = Math.min(PublishEgress.publishedQos(e), subscription.qos());
        Envelope marked = new Envelope(
                EXCHANGE,
                keys,
                qos > 0,
                e.priority(),
                e.arrivalMs(),
                e.ttlMs(),
                e.expireAtMs(),
                0,
                e.publisherId(),
                e.user(),
                e.origin(),
                qos,
                true,
                e.offsets(),
                List.of());
        return new Message(marked, message.sections());
    }
}
