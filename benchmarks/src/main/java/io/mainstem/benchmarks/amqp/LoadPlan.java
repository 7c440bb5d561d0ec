package io.mainstem.benchmarks.amqp;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What load to put on a broker.
 *
 * @param address of the queue or topic
 * @param topic attach with capability {@code topic} instead of {@code queue}; every consumer gets every message
 * @param transactionSize messages a transaction; 0 = without transactions
 */
public record LoadPlan(String address, boolean topic, Clients clients, Body body, Limits limits, int transactionSize) {
    /** Without transactions. */
    public LoadPlan(String address, boolean topic, Clients clients, Body body, Limits limits) {
        this(address, topic, clients, body, limits, 0);
    }

    /**
     * Who sends and receives.
     *
     * @param producers connections that send
     * @param consumers connections that receive; 0 leaves the messages where they are
     * @param inFlight unconfirmed messages of each producer
     * @param credit of each consumer
     */
    public record Clients(int producers, int consumers, int inFlight, int credit) {
        public Clients {
            check("producers", producers, 0, 10_000);
            check("consumers", consumers, 0, 10_000);
            check("in-flight", inFlight, 1, 1 << 20);
            check("credit", credit, 1, 1 << 20);
        }
    }

    /**
     * What is sent.
     *
     * @param durable header of the messages
     * @param bytes of the body, at least 8: the last 8 carry the time of sending, or that of being due
     * @param delay null = to be delivered at once
     */
    public record Body(boolean durable, int bytes, @Nullable Delay delay) {
        /** Bytes of the time of sending at the end of each body. */
        static final int STAMP_BYTES = 8;

        public Body {
            check("bytes", bytes, STAMP_BYTES, 128 << 20);
        }

        /** Not delayed. */
        public Body(boolean durable, int bytes) {
            this(durable, bytes, null);
        }
    }

    /**
     * When messages shall be delivered: any time in between, counted from when they are sent.
     *
     * @param minMs at least
     * @param maxMs at most
     */
    public record Delay(long minMs, long maxMs) {
        public Delay {
            check("delay", minMs, 0, maxMs);
        }
    }

    /**
     * How long it goes on.
     *
     * @param warmUp is not counted; zero = none
     * @param measured longest time of sending
     * @param countMax most messages to send in each of the two parts, of all producers together
     * @param timeout after which a missing answer is a failure
     */
    public record Limits(Duration warmUp, Duration measured, long countMax, Duration timeout) {
        private static final Duration TIMEOUT = Duration.ofSeconds(60);

        public Limits {
            check("count", countMax, 1, 1_000_000_000);
            check("warm-up seconds", warmUp.toSeconds(), 0, 3600);
            check("seconds", measured.toSeconds(), 1, 3600);
        }

        /** Limited by time. */
        public static Limits ofSeconds(int warmUp, int measured) {
            return new Limits(Duration.ofSeconds(warmUp), Duration.ofSeconds(measured), 1_000_000_000, TIMEOUT);
        }

        /** Limited by the number of messages, and for safety by an hour; without warm-up. */
        public static Limits ofMessages(long countMax) {
            return new Limits(Duration.ZERO, Duration.ofHours(1), countMax, TIMEOUT);
        }

        /** With another patience for missing answers. */
        public Limits waiting(Duration newTimeout) {
            return new Limits(warmUp, measured, countMax, newTimeout);
        }
    }

    /** A queue, one producer with 500 in flight, one consumer, durable messages of 1 KiB, 5 s warm-up, 10 s measured. */
    public static LoadPlan durable(String queue) {
        return new LoadPlan(queue, false, new Clients(1, 1, 500, 1000), new Body(true, 1024), Limits.ofSeconds(5, 10));
    }

    /** The same plan for another queue or topic. */
    public LoadPlan at(String newAddress) {
        return new LoadPlan(newAddress, topic, clients, body, limits, transactionSize);
    }

    /** The same plan with the address as a topic. */
    public LoadPlan toTopic() {
        return new LoadPlan(address, true, clients, body, limits);
    }

    /** The same plan with other producers and consumers. */
    public LoadPlan by(int producers, int consumers, int inFlight) {
        return new LoadPlan(
                address,
                topic,
                new Clients(producers, consumers, inFlight, clients.credit()),
                body,
                limits,
                transactionSize);
    }

    /** The same plan with other messages. */
    public LoadPlan with(Body newBody) {
        return new LoadPlan(address, topic, clients, newBody, limits, transactionSize);
    }

    /** The same plan with other limits. */
    public LoadPlan within(Limits newLimits) {
        return new LoadPlan(address, topic, clients, body, newLimits, transactionSize);
    }

    /** The same plan in transactions of so many messages, one transaction of a producer at a time. */
    public LoadPlan inTransactionsOf(int messages) {
        return new LoadPlan(address, topic, clients, body, limits, messages);
    }

    private static void check(String option, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(option + ": " + value + " (expected: " + min + " to " + max + ")");
        }
    }
}
