package io.mainstem.routing;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who may consume from a durable subscription, recorded with its queue: both kinds share their names, and one never
 * becomes the other (Jakarta Messaging 8.3.3, 8.3.4) [S-1].
 */
public enum SubscriptionKind {
    /** One consumer at a time. */
    UNSHARED,
    /** Any number of consumers, of several connections, too. */
    SHARED;

    /** Argument of the queue; absent in what was subscribed before kinds were recorded, and with other queues. */
    public static final String ARGUMENT = "x-subscription-kind";

    /** What is recorded with a queue, or null. */
    public static @Nullable SubscriptionKind of(QueueSpec spec) {
        Object recorded = spec.arguments().get(ARGUMENT);
        for (SubscriptionKind kind : values()) {
            if (kind.word().equals(recorded)) {
                return kind;
            }
        }
        return null;
    }

    /** The queue with this kind on record. */
    public QueueSpec recordedIn(QueueSpec spec) {
        Map<String, Object> arguments = new HashMap<>(spec.arguments());
        arguments.put(ARGUMENT, word());
        return spec.with(arguments);
    }

    /** The kind in words, as it is recorded and shown. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
