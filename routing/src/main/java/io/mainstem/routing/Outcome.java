package io.mainstem.routing;

import io.mainstem.routing.message.ModifiedAnnotations;
import org.jspecify.annotations.Nullable;

/** How a consumer is done with a delivery (AMQP 1.0 part 3.4, mapping 6). */
public sealed interface Outcome {
    /** Done: the entry is settled. */
    record Accepted() implements Outcome {}

    /**
     * Given back without fault: same position, failure count unchanged, unless the queue counts how often a message was
     * acquired.
     */
    record Released() implements Outcome {}

    /** Given back, never counted, and no application has seen it: it did not get that far. */
    record Unseen() implements Outcome {}

    /** Poison: dead-lettered with reason {@code rejected}, or dropped where there is no dead-letter exchange. */
    record Rejected(String reason) implements Outcome {}

    /**
     * Given back.
     *
     * @param failed raises the failure count
     * @param undeliverableHere not to this consumer again
     * @param notBeforeMs not ready before this time, epoch ms; 0 = as the queue has it. Kept in memory only
     * @param annotations merged into those of the message, or null; kept with it, also over a restart
     */
    record Modified(
            boolean failed,
            boolean undeliverableHere,
            long notBeforeMs,
            @Nullable ModifiedAnnotations annotations) implements Outcome {
        /** With nothing to merge. */
        public Modified(boolean failed, boolean undeliverableHere, long notBeforeMs) {
            this(failed, undeliverableHere, notBeforeMs, null);
        }

        /** Ready again as the queue has it. */
        public Modified(boolean failed, boolean undeliverableHere) {
            this(failed, undeliverableHere, 0);
        }
    }

    /** Poison for a consumer that takes no message of this size: dead-lettered with reason {@code too_large} [T-3]. */
    Outcome TOO_LARGE = new Rejected("too_large");

    /** Poison for a consumer whose protocol has no form for it: dead-lettered with reason {@code unmappable} [D-4]. */
    Outcome UNMAPPABLE = new Rejected("unmappable");

    /** The one Accepted. */
    Outcome ACCEPTED = new Accepted();

    /** The one Released. */
    Outcome RELEASED = new Released();

    /** The one Unseen. */
    Outcome UNSEEN = new Unseen();

    /** Given back and never counted, though it may have been seen: the end of an orderly link, or of the broker. */
    Outcome UNCOUNTED = new Modified(false, false);

    /** Given back as failed: what a lost connection means to Qpid JMS [J-3]. */
    Outcome FAILED = new Modified(true, false);
}
