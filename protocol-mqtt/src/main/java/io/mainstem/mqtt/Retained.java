package io.mainstem.mqtt;

import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.topology.TopicNames;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Retained messages for a new subscription: put into the session's queue like all others, so that they are acknowledged,
 * repeated and ordered as such. An exchange that nobody can publish to marks them; the second key is the filter's, whose
 * options alone count for them. Thread: the connection's event loop.
 */
final class Retained {
    static final String EXCHANGE = "amq.mqtt:retained";

    private Retained() {}

    static boolean isOne(Envelope envelope) {
        return envelope.exchange().equals(EXCHANGE);
    }

    /** The filter for which it was put into the queue. */
    static String filter(Envelope envelope) {
        return TopicNames.swap(envelope.keys().get(1));
    }

    /**
     * Some of what is retained for a filter, ready for the queue of its session.
     *
     * @param after the last key that was looked at, "" at the beginning
     * @return the last key looked at now, or null if there are no more
     */
    static @Nullable String page(
            BrokerSession broker,
            Subscription subscription,
            String after,
            int limit,
            long nowMs,
            Consumer<Message> found) {
        String filter = subscription.filter();
        return broker.retained()
                .page(
                        TopicNames.swap(literalPrefix(filter)),
                        after,
                        limit,
                        key -> TopicNames.mappable(key) && SubscriptionSet.matches(filter, TopicNames.swap(key)),
                        nowMs,
                        message -> found.accept(copy(message, subscription)));
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

    /** The message as it is put into the queue of a session for that subscription. */
    static Message copy(Message message, Subscription subscription) {
        Envelope e = message.envelope();
        int qos = Math.min(PublishEgress.publishedQos(e), subscription.qos());
        Envelope marked = new Envelope(
                EXCHANGE,
                List.of(e.routingKey(), subscription.key()),
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
