package io.mainstem.jms.session;

/** What the setters of a producer, or the arguments of the call, say about a send. */
public record SendOptions(
        int deliveryMode, int priority, long timeToLiveMs, long delayMs, boolean withoutId, boolean withoutTimestamp) {}
