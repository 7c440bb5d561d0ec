package io.mainstem.routing.queue;

import org.jspecify.annotations.Nullable;

/**
 * For whom messages are read ahead: each goes through the lanes at its own pace, so that what one has read is not
 * thrown out by another that is elsewhere. Thread: shard only.
 */
interface ReadAheadOwner {
    /** The queue to be dispatched when something has been read. */
    MessageQueue queue();

    /** True if it will never take what is being read for it. */
    boolean gone();

    /** Null = nothing is being read, and nothing waits. */
    @Nullable
    ReadAhead readAhead();

    void readAhead(@Nullable ReadAhead newReadAhead);
}
