package io.mainstem.routing.queue;

import io.mainstem.routing.message.Message;
import org.jspecify.annotations.Nullable;

/**
 * The ttl that a policy gives to a queue in which messages wait already. What is written with a message says when it expires by
 * what held when it came; whether it is over by what holds now, the message itself tells. Thread: any.
 */
final class ShortenedTtl {
    /** Clocks of publishing threads may be so far ahead of the shard's. */
    private static final long SLACK_MS = 1000;

    private ShortenedTtl() {}

    /** True if the queue gives no message that comes now a time as late as this one: the message has to be asked. */
    static boolean concerns(MessageQueue queue, long expireAtMs, long nowMs) {
        long ttlMs = queue.options().messageTtlMs();
        return ttlMs >= 0 && (expireAtMs == 0 || expireAtMs > nowMs + ttlMs + SLACK_MS);
    }

    /**
     * When the message expires in this queue, epoch ms, 0 = never.
     *
     * @param expireAtMs what was written with it
     * @param message null if it is not in memory; then that counts
     */
    static long expireAtMs(MessageQueue queue, long expireAtMs, @Nullable Message message, long nowMs) {
        return message != null && concerns(queue, expireAtMs, nowMs)
                ? queue.options().expireAtMs(message.envelope())
                : expireAtMs;
    }
}
