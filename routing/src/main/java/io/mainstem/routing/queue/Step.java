package io.mainstem.routing.queue;

/** What became of one consumer's turn. */
enum Step {
    DELIVERED,
    /** Nothing this consumer may have. */
    NOTHING,
    /** The entry or message whose turn it is must be read first; the queue is marked dirty when it has come. */
    WAITING,
    /** The queue's turn is over: there is more to look at in its next. */
    LATER
}
