package io.mainstem.routing.queue;

import io.mainstem.routing.PublishListener;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.message.Message;
import org.jspecify.annotations.Nullable;

/**
 * One message that a session wants stored, and who is told.
 *
 * @param retained what becomes of the retained message of its key, or null; ends with the publish
 * @param bytes that the session has taken of its room
 * @param tag comes back in the answer
 */
record PublishRequest(
        SessionPublishing session,
        Message message,
        Destinations destinations,
        @Nullable RetainedChange retained,
        long bytes,
        long tag,
        PublishListener listener) {
    /** Thread: shard. */
    ShardPeer peer() {
        return session.peer();
    }

    /** What it would have changed of what is retained does not come about. */
    void notRetained() {
        if (retained != null) {
            retained.failed();
        }
    }

    /** Tells the publisher. Thread: shard. */
    void answer(PublishResult result) {
        peer().outbox().add(() -> session.answered(this, result));
    }
}
