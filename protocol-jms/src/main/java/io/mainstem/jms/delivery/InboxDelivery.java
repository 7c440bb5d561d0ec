package io.mainstem.jms.delivery;

import io.mainstem.jms.link.LinkDelivery;
import org.jspecify.annotations.Nullable;

/**
 * A delivery that has come to a consumer.
 *
 * @param inbox the consumer's
 * @param delivery what is settled
 * @param number ascending within the session, in order of arrival
 * @param bytes what it holds of the consumer's prefetch
 */
public record InboxDelivery(Inbox inbox, LinkDelivery delivery, long number, int bytes) {
    /** True if the connection it came over is lost: the broker gives it to somebody again. Thread: any. */
    boolean isGone() {
        return inbox.isGone(this);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }

    @Override
    public int hashCode() {
        return Long.hashCode(number);
    }
}
