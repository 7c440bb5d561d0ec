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
     * Settles deliveries {@code first} to {@code last} (both included). Final and idempotent: ids that are settled
     * already are ignored [T-6].
     */
    void settle(long first, long last, Outcome outcome);

    /** Detaches; unsettled deliveries get the outcome agreed on for that. Idempotent. */
    void close();

    /** As {@link #close()}, with another outcome for what is unsettled. */
    void close(Outcome unsettled);
}
