package io.mainstem.routing.queue;

import io.mainstem.routing.message.Message;
import io.mainstem.store.Frame;
import org.jspecify.annotations.Nullable;

/**
 * One message of a transaction, routed and encoded, not visible yet.
 *
 * @param frame its record, or null if it goes to memory only
 */
record TransactionSend(
        Message message,
        Destinations destinations,
        @Nullable Frame frame) {
    /** Bytes it keeps until the end of its transaction. */
    long bytes() {
        return message.sectionBytes() + TailCache.MESSAGE_OVERHEAD_BYTES;
    }

    /** Bytes it takes in a record group at least: a large payload is stored apart from the group. */
    long listingBytes() {
        return frame == null ? 0 : LISTING_OVERHEAD_BYTES + frame.body().get(0).length + (frame.bodyBytes() >> 14);
    }

    private static final int LISTING_OVERHEAD_BYTES = 96;
}
