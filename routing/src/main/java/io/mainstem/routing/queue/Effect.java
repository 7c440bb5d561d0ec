package io.mainstem.routing.queue;

import io.mainstem.store.Settlement;

/** What the outcome of a delivery comes to in its queue. */
sealed interface Effect {
    /** Out of the queue for good. */
    record Done(Settlement.Kind kind) implements Effect {}

    /**
     * Out of the queue, and to its dead-letter exchange.
     *
     * @param reason as in the death history
     * @param counts this delivery has failed, too (AMQP 1.0 part 3, 3.4.2 and 3.4.5)
     */
    record Dead(String reason, boolean counts) implements Effect {}

    /**
     * Ready again, with one more failed delivery.
     *
     * @param notBeforeMs epoch ms
     */
    record Failed(long notBeforeMs) implements Effect {}

    /** Ready again at once: no application has seen it. */
    record Unseen() implements Effect {}

    /**
     * Ready again.
     *
     * @param notBeforeMs epoch ms
     */
    record Back(long notBeforeMs) implements Effect {}
}
