package io.mainstem.jms.connection;

import io.mainstem.jms.error.Errors;
import io.mainstem.jms.link.Subscription;
import jakarta.jms.JMSException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which durable subscriptions have consumers of this connection. The broker sees a second link of one name as the first
 * one moved; Jakarta Messaging wants it refused (6.11.1, 6.11.3). Thread: any.
 */
public final class ActiveSubscriptions {
    private final Map<String, Integer> consumers = new HashMap<>();
    private final Map<String, Boolean> shared = new HashMap<>();

    /**
     * The subscription that an application means.
     *
     * @throws JMSException if there is no name, or no client identifier where it is needed
     */
    public static Subscription named(@Nullable String name, boolean durable, boolean shared, boolean hasClientId)
            throws JMSException {
        if (durable && !shared && !hasClientId) {
            throw Errors.illegal(
                    "MS-0710",
                    "an unshared durable subscription needs a client identifier; fix: set one on the connection or factory");
        }
        if (name == null || name.isEmpty() || name.indexOf('|') >= 0) {
            throw Errors.wrong("subscription name '" + name
                    + "' (expected: not empty, without '|', which separates parts of AMQP link names)");
        }
        return new Subscription(name, durable, shared, !hasClientId);
    }

    /** @throws JMSException if the subscription is in use and not shared */
    public synchronized void begin(Subscription subscription) throws JMSException {
        if (!subscription.durable()) {
            return;
        }
        int before = consumers.getOrDefault(subscription.name(), 0);
        if (before > 0 && !(subscription.shared() && Boolean.TRUE.equals(shared.get(subscription.name())))) {
            throw Errors.illegal(
                    "MS-0708",
                    "durable subscription '" + subscription.name() + "' has a consumer; fix: close that first");
        }
        consumers.put(subscription.name(), before + 1);
        shared.put(subscription.name(), subscription.shared());
    }

    public synchronized void end(Subscription subscription) {
        if (subscription.durable()) {
            consumers.merge(subscription.name(), -1, (a, b) -> a + b == 0 ? null : a + b);
        }
    }

    /** @throws JMSException if it has consumers here */
    public synchronized void checkUnused(String name) throws JMSException {
        if (consumers.containsKey(name)) {
            throw Errors.illegal(
                    "MS-0708", "durable subscription '" + name + "' has a consumer; fix: close it, then unsubscribe");
        }
    }
}
