package io.mainstem.routing;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How a queue is declared.
 *
 * @param name 1 to 255 bytes of UTF-8; names that begin with {@code amq.} only with {@code system}
 * @param durable survives a restart (with its durable messages)
 * @param autoDelete goes when its last consumer leaves
 * @param exclusive belongs to the declaring session: only it may consume, and the queue goes with it
 * @param system declared by a head on behalf of a subscription or temporary node
 * @param arguments {@code x-dead-letter-exchange}, {@code x-dead-letter-routing-key}, {@code x-delivery-limit},
 *     {@code x-message-ttl}, {@code x-expires} ...; values: String, Long, Boolean, Double
 * @param owner user whose subscription or session a system queue is, or null if it is nobody's alone; declaring again
 *     does not change it
 */
public record QueueSpec(
        String name,
        boolean durable,
        boolean autoDelete,
        boolean exclusive,
        boolean system,
        Map<String, Object> arguments,
        @Nullable String owner) {
    public QueueSpec {
        arguments = Map.copyOf(arguments);
    }

    /** One that is nobody's alone. */
    public QueueSpec(
            String name,
            boolean durable,
            boolean autoDelete,
            boolean exclusive,
            boolean system,
            Map<String, Object> arguments) {
        this(name, durable, autoDelete, exclusive, system, arguments, null);
    }

    /** The same, as this user's own. */
    public QueueSpec ownedBy(@Nullable String user) {
        return new QueueSpec(name, durable, autoDelete, exclusive, system, arguments, user);
    }

    /** The same with these arguments instead of its own. */
    public QueueSpec with(Map<String, Object> others) {
        return new QueueSpec(name, durable, autoDelete, exclusive, system, others, owner);
    }

    /** A plain durable queue. */
    public static QueueSpec durable(String name) {
        return new QueueSpec(name, true, false, false, false, Map.of());
    }
}
