package io.mainstem.routing;

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

    /** Certainly not stored, by any queue. */
    record Refused(ErrorKind kind, String text) implements PublishResult {}

    /** The log failed: it may or may not be on disk. The head closes the connection and never sends a nack. */
    record Unknown(String text) implements PublishResult {}
}
