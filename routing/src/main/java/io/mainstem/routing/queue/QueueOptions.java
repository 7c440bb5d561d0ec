package io.mainstem.routing.queue;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.message.Envelope;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of a queue, understood and checked. Names are those of RabbitMQ.
 *
 * @param deadLetterExchange {@code x-dead-letter-exchange}; null = rejected messages are dropped
 * @param deadLetterKey {@code x-dead-letter-routing-key}; null = the message keeps its key
 * @param deliveryLimit {@code x-delivery-limit}: more failed deliveries than this dead-letter the message; -1 = none
 * @param countsAcquisitions {@code x-delivery-limit-counts} = {@code acquired}: a message that is released counts as failed
 * @param messageTtlMs {@code x-message-ttl}; -1 = none
 * @param expiresMs {@code x-expires}: the queue goes when nobody has consumed from it for so long; -1 = never
 * @param bestEffort {@code x-best-effort}: what no reliable delivery was asked for is dropped while nobody consumes
 * @param priorityMax {@code x-max-priority}: 0 keeps arrival order whatever the priority; -1 = not declared
 * @param lengthLimit {@code x-max-length}, {@code x-max-length-bytes}, {@code x-overflow}; null = none
 * @param redeliveryDelay {@code x-redelivery-delay} and how it grows; null = none
 * @param exclusionTimeoutMs {@code x-exclusion-timeout}: what all consumers have sent back as undeliverable there for so long
 *     is dead-lettered; a minute if it is not declared
 * @param lastValueKey {@code x-last-value-key}: a message replaces the waiting one with the same value there; null = none does
 * @param singleActiveConsumer {@code x-single-active-consumer}: the consumers get messages one after the other
 * @param keptBy {@code x-kept-by}: an auto-delete queue stays as long as a head keeps a record whose key begins so; null = none
 */
record QueueOptions(
        @Nullable String deadLetterExchange,
        @Nullable String deadLetterKey,
        int deliveryLimit,
        boolean countsAcquisitions,
        long messageTtlMs,
        long expiresMs,
        boolean bestEffort,
        int priorityMax,
        @Nullable LengthLimit lengthLimit,
        @Nullable RedeliveryDelay redeliveryDelay,
        long exclusionTimeoutMs,
        @Nullable LastValueKey lastValueKey,
        boolean singleActiveConsumer,
        @Nullable String keptBy) {

    private static final long EXCLUSION_TIMEOUT_MS = 60_000;

    /** No arguments: shared, because most queues have none. */
    static final QueueOptions NONE = new QueueOptions(
            null, null, -1, false, -1, -1, false, -1, null, null, EXCLUSION_TIMEOUT_MS, null, false, null);

    private static final int PRIORITY_MAX = 9;
    /** Beyond any date, and a sum with a date does not overflow. */
    private static final long TTL_MS_MAX = Long.MAX_VALUE / 4;

    /** @throws BrokerException INVALID_ARGUMENT naming the argument, its value and what is allowed */
    static QueueOptions of(QueueSpec spec) {
        if (spec.arguments().isEmpty()) {
            return NONE;
        }
        checkType(spec);
        String exchange = text(spec, "x-dead-letter-exchange");
        String key = text(spec, "x-dead-letter-routing-key");
        if (key != null && exchange == null) {
            throw invalid(spec, "x-dead-letter-routing-key", key, "only together with x-dead-letter-exchange");
        }
        return new QueueOptions(
                exchange,
                key,
                (int) number(spec, "x-delivery-limit", 0, Integer.MAX_VALUE),
                countsAcquisitions(spec),
                Math.min(TTL_MS_MAX, number(spec, "x-message-ttl", 0, Long.MAX_VALUE)),
                Math.min(TTL_MS_MAX, number(spec, "x-expires", 1, Long.MAX_VALUE)),
                flag(spec, "x-best-effort"),
                (int) Math.min(PRIORITY_MAX, number(spec, "x-max-priority", 0, 255)),
                lengthLimit(spec),
                RedeliveryDelay.of(spec),
                exclusionTimeoutMs(spec),
                LastValueKey.of(spec),
                flag(spec, "x-single-active-consumer"),
                text(spec, "x-kept-by"));
    }

    /**
     * The lane a message goes to. A plain queue orders by JMS priority, and a message without one counts as 4 whoever
     * sent it; a queue with {@code x-max-priority} follows its protocol's own rule [mapping 3.2]. A last-value queue
     * has one lane: which of its messages came last is told by their order there.
     */
    int lane(Envelope envelope) {
        if (lastValueKey != null) {
            return LastValueQueues.PRIORITY;
        }
        int priority = envelope.priority();
        if (priorityMax < 0) {
            return priority < 0 ? Envelope.PRIORITY_DEFAULT : Math.min(priority, PRIORITY_MAX);
        }
        if (priority < 0) {
            priority = hasPriorityZero(envelope) ? 0 : Envelope.PRIORITY_DEFAULT;
        }
        return Math.min(priority, priorityMax);
    }

    /** When the message expires in this queue, epoch ms, 0 = never: the lesser of its own and the queue's ttl [T-4]. */
    long expireAtMs(Envelope envelope) {
        // Before 1970 is over, too; epoch ms 0 means never.
        long own = envelope.expireAtMs() < 0 ? 1 : envelope.expireAtMs();
        if (messageTtlMs < 0) {
            return own;
        }
        // A dead-lettered message enters this queue when it left the last one, a delayed one when its time has come.
        long entered = envelope.deaths().isEmpty()
                ? Math.max(envelope.arrivalMs(), envelope.deliverAtMs())
                : envelope.deaths().get(0).lastMs();
        // For the same reason a ttl that ends at 0 ends 1 ms later.
        long byQueue = Math.max(1, entered + messageTtlMs);
        return own == 0 ? byQueue : Math.min(own, byQueue);
    }

    private static boolean hasPriorityZero(Envelope envelope) {
        return switch (envelope.origin()) {
            case AMQP_0_9_1, MQTT_3, MQTT_5 -> true;
            case AMQP_1_0, JMS_VM, BROKER -> false;
        };
    }

    /** RabbitMQ's queue types: one kind of queue here does what its first two are for. */
    private static void checkType(QueueSpec spec) {
        String type = text(spec, "x-queue-type");
        if (type != null && !type.equals("classic") && !type.equals("quorum")) {
            throw invalid(spec, "x-queue-type", type, "classic or quorum; there are no streams");
        }
    }

    private static boolean countsAcquisitions(QueueSpec spec) {
        String counts = text(spec, "x-delivery-limit-counts");
        if (counts != null && !counts.equals("failed") && !counts.equals("acquired")) {
            throw invalid(spec, "x-delivery-limit-counts", counts, "failed or acquired");
        }
        return "acquired".equals(counts);
    }

    private static long exclusionTimeoutMs(QueueSpec spec) {
        long declared = number(spec, "x-exclusion-timeout", 1, TTL_MS_MAX);
        return declared < 0 ? EXCLUSION_TIMEOUT_MS : declared;
    }

    private static @Nullable LengthLimit lengthLimit(QueueSpec spec) {
        long messages = number(spec, "x-max-length", 0, Long.MAX_VALUE);
        long bytes = number(spec, "x-max-length-bytes", 0, Long.MAX_VALUE);
        String overflow = text(spec, "x-overflow");
        LengthLimit.Overflow above =
                overflow == null ? LengthLimit.Overflow.DROP_HEAD : LengthLimit.Overflow.of(overflow);
        if (above == null) {
            throw invalid(
                    spec,
                    "x-overflow",
                    String.valueOf(overflow),
                    "drop-head, reject-publish, reject-publish-dlx or block");
        }
        return messages < 0 && bytes < 0
                ? null
                : new LengthLimit(messages < 0 ? Long.MAX_VALUE : messages, bytes < 0 ? Long.MAX_VALUE : bytes, above);
    }

    static @Nullable String text(QueueSpec spec, String name) {
        Object value = spec.arguments().get(name);
        if (value == null || value instanceof String) {
            return (String) value;
        }
        throw invalid(spec, name, value, "a string");
    }

    private static boolean flag(QueueSpec spec, String name) {
        Object value = spec.arguments().get(name);
        if (value == null || value instanceof Boolean) {
            return Boolean.TRUE.equals(value);
        }
        throw invalid(spec, name, value, "true or false");
    }

    static long number(QueueSpec spec, String name, long min, long max) {
        Object value = spec.arguments().get(name);
        if (value == null) {
            return -1;
        }
        if (value instanceof Number number
                && !(value instanceof Double)
                && !(value instanceof Float)
                && number.longValue() >= min
                && number.longValue() <= max) {
            return number.longValue();
        }
        throw invalid(spec, name, value, "a whole number from " + min + " to " + max);
    }

    static BrokerException invalid(QueueSpec spec, String name, Object value, String expected) {
        return new BrokerException(
                ErrorKind.INVALID_ARGUMENT,
                "MS-0331",
                "queue '" + spec.name() + "': " + name + ": " + value + " (expected: " + expected + ").",
                "correct the argument or leave it out.");
    }
}
