package io.mainstem.routing;

import org.jspecify.annotations.Nullable;

/** What became of a publish. */
public sealed interface PublishResult {
    /**
     * Every target queue has it; for durable messages: on disk.
     *
     * @param queues 0 if a message of this publish id was stored before
     */
    record Stored(int queues) implements PublishResult {}

    /** No binding matched and there was no alternate exchange that did. */
    record Unroutable() implements PublishResult {}

    /**
     * Certainly not stored, by any queue.
     *
     * @param queue the one that does not take it, or null if the reason is another
     */
    record Refused(ErrorKind kind, String text, @Nullable RefusingQueue queue) implements PublishResult {
        /** For a reason that is not a queue's. */
        public Refused(ErrorKind kind, String text) {
            this(kind, text, null);
        }

        /** For the reason that was thrown. */
        public static Refused of(BrokerException refusal) {
            return new Refused(refusal.kind(), String.valueOf(refusal.getMessage()), refusal.queue());
        }
    }

    /** The log failed: it may or may not be on disk. The head closes the connection and never sends a nack. */
    record Unknown(String text) implements PublishResult {}
}
