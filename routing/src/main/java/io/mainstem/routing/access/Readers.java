package io.mainstem.routing.access;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.RetainedTopics;
import io.mainstem.routing.TemporaryNames;
import io.mainstem.routing.message.Envelope;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Supplier;

/**
 * What the owners of subscriptions may read, message by message (ADR 0073): asked when a message is routed, so that nothing
 * is queued for who may not read it, and when it is delivered, since rights may have gone meanwhile. Nearly all owners may
 * read everything, or the same few topics again and again: both cost a look-up. Thread: any.
 */
public final class Readers {
    private static final String TOPIC_EXCHANGE = "amq.topic";

    private final Supplier<AccessPolicy> source;
    private final String virtualHost;
    private volatile Current current = new Current(AccessPolicy.OPEN);

    /** Of one policy. */
    private record Current(AccessPolicy policy, Map<String, Reader> byUser) {
        Current(AccessPolicy policy) {
            this(policy, new ConcurrentHashMap<>());
        }
    }

    /** @param source the policy at any moment; asked for every decision */
    public Readers(Supplier<AccessPolicy> source, String virtualHost) {
        this.source = source;
        this.virtualHost = virtualHost;
    }

    /**
     * True if the queue is somebody's subscription who may not read the message.
     *
     * @param bindings of the queue, looked at only if the message has come by way of several exchanges
     */
    public boolean withheld(QueueSpec queue, Envelope message, Supplier<List<BindingSpec>> bindings) {
        String owner = queue.owner();
        if (owner == null || !queue.system()) {
            return false;
        }
        AccessPolicy policy = source.get();
        if (policy.isOpen()) {
            return false;
        }
        Reader reader = reader(policy, owner);
        return !reader.rules.everything() && !mayRead(reader, message, bindings);
    }

    private Reader reader(AccessPolicy policy, String owner) {
        Current now = current;
        if (now.policy() != policy) {
            now = new Current(policy);
            current = now;
        }
        return now.byUser().computeIfAbsent(owner, user -> new Reader(UserRules.of(policy, virtualHost, user, null)));
    }

    private static boolean mayRead(Reader reader, Envelope message, Supplier<List<BindingSpec>> bindings) {
        String exchange = message.exchange();
        if (exchange.isEmpty()) {
            return true; // Put into this queue by its name, which took a right of its own.
        }
        if (exchange.equals(RetainedTopics.COPIES)) {
            return reader.mayReadTopic(message.routingKey());
        }
        if (exchange.equals(TOPIC_EXCHANGE)) {
            return reader.mayReadAny(message.keys());
        }
        if (reader.rules.allows(Action.READ, ObjectKind.EXCHANGE, exchange)) {
            return true;
        }
        for (BindingSpec binding : bindings.get()) {
            boolean topics = binding.source().equals(TOPIC_EXCHANGE);
            if (topics
                    ? reader.mayReadAny(message.keys())
                    : reader.rules.allows(Action.READ, ObjectKind.EXCHANGE, binding.source())) {
                return true;
            }
        }
        return false;
    }

    /** One owner, and what was asked of it last. */
    private static final class Reader {
        private static final int REMEMBERED = 16;
        private static final int REMEMBERED_CHARACTERS_MAX = 256;

        private final UserRules rules;
        private final AtomicReferenceArray<Remembered> remembered = new AtomicReferenceArray<>(REMEMBERED);

        private record Remembered(String key, boolean mayRead) {}

        Reader(UserRules rules) {
            this.rules = rules;
        }

        boolean mayReadAny(List<String> keys) {
            for (String key : keys) {
                if (mayReadTopic(key)) {
                    return true;
                }
            }
            return false;
        }

        boolean mayReadTopic(String key) {
            if (TemporaryNames.isTopic(key)) {
                return true; // Bound by the topic's own connection, or not at all.
            }
            int slot = (key.hashCode() * 0x9E3779B9) >>> 28;
            Remembered before = remembered.get(slot);
            if (before != null && before.key().equals(key)) {
                return before.mayRead();
            }
            boolean may = rules.allows(Action.READ, ObjectKind.TOPIC, key);
            if (key.length() <= REMEMBERED_CHARACTERS_MAX) {
                remembered.set(slot, new Remembered(key, may));
            }
            return may;
        }
    }
}
