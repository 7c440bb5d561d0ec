package io.mainstem.store;

/** Life of one store. Only {@link #RUNNING} takes new messages; see [L-10] and [L-11]. */
public enum StoreState {
    /** Reading checkpoint and log; nothing may be submitted yet. */
    RECOVERING,
    /** All kinds of records are taken. */
    RUNNING,
    /** Free space is low: publishers should hold back, groups already on their way are still taken. */
    DISK_HIGH,
    /** No next segment: messages are refused; settlements, purges and deletions go on in reserved segments. */
    DISK_CRITICAL,
    /** The first I/O error on the log is terminal: outcome of pending groups is unknown. */
    FAILED,
    /** Closed cleanly. */
    CLOSED
}
