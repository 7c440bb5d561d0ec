package io.mainstem.jms.options;

import java.util.Set;

/**
 * How messages flow between a session and the broker.
 *
 * @param prefetchCount messages a consumer holds at most before the application asks for them, 0 to 100 000; 0 asks for
 *     each message when {@code receive} is called
 * @param prefetchBytes bytes of messages a consumer holds at most, at least 1; a larger message comes alone
 * @param redeliveriesMax how often a message may come again before the provider rejects it (the broker then dead-letters
 *     it); -1 leaves it to the broker
 * @param asyncNonPersistent send NON_PERSISTENT messages without waiting for the broker
 * @param validatePropertyNames refuse names that are no Java identifiers, as the specification asks
 * @param expireLocally discard a prefetched message whose time to live has passed
 * @param trustedPackages packages whose classes an ObjectMessage may be made of; empty: none; {@code *}: all
 * @param dedup number the messages of a producer so that one sent again after a reconnect is stored once
 */
public record DeliveryOptions(
        int prefetchCount,
        int prefetchBytes,
        int redeliveriesMax,
        boolean asyncNonPersistent,
        boolean validatePropertyNames,
        boolean expireLocally,
        Set<String> trustedPackages,
        boolean dedup) {
    public static final DeliveryOptions DEFAULT =
            new DeliveryOptions(1000, 4 << 20, -1, true, true, true, Set.of(), true);

    private static final int PREFETCH_COUNT_MAX = 100_000;

    public DeliveryOptions {
        trustedPackages = Set.copyOf(trustedPackages);
        if (prefetchCount < 0 || prefetchCount > PREFETCH_COUNT_MAX) {
            throw new IllegalArgumentException(
                    "prefetchCount: " + prefetchCount + " (expected: 0 to " + PREFETCH_COUNT_MAX + ")");
        }
        if (prefetchBytes < 1) {
            throw new IllegalArgumentException("prefetchBytes: " + prefetchBytes + " (expected: >= 1)");
        }
        if (redeliveriesMax < -1) {
            throw new IllegalArgumentException("redeliveriesMax: " + redeliveriesMax + " (expected: >= -1)");
        }
    }
}
