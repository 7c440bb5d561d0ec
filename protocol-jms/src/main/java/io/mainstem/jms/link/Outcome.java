package io.mainstem.jms.link;

/** How a delivery ends. */
public enum Outcome {
    /** Done: the broker forgets it. */
    ACCEPTED,
    /** Goes back to its place, as if never delivered. */
    RELEASED,
    /** Goes back to its place; counted as a failed delivery. */
    FAILED,
    /** Shall not come to this receiver again: its time is over, or it came too often. */
    UNDELIVERABLE_HERE,
    /** Cannot be processed: the broker dead-letters it. */
    REJECTED
}
