package io.mainstem.routing;

/** Where deliveries come from, and how their receiver is done with them. Thread: the session's event loop. */
public interface DeliverySource {
    /**
     * Sets the credit absolutely: deliveries with {@code deliveryId < limit} may be made. May go down; deliveries
     * already on their way may then exceed it and the sink must hold them.
     *
     * @param drain deliver what is there now, then give the rest of the credit up with
     *     {@link DeliverySink#onDrained}
     */
    void limit(long limit, boolean drain);

    /**
     * As {@link #limit(long, boolean)}, by a receiver that takes a few at a time.
     *
     * @param more the limit is raised as soon as what came up to it has been passed on: consumers of lower priority wait
     *     for that. To be taken back if it cannot be passed on now
     */
    default void limit(long limit, boolean drain, boolean more) {
        limit(limit, drain);
    }

    /**
     * Settles deliveries {@code first} to {@code last} (both included). Final and idempotent: ids that are settled
     * already are ignored [T-6].
     */
    void settle(long first, long last, Outcome outcome);

    /** Detaches; unsettled deliveries get the outcome agreed on for that. Idempotent. */
    void close();

    /** As {@link #close()}, with another outcome for what is unsettled. */
    void close(Outcome unsettled);
}
