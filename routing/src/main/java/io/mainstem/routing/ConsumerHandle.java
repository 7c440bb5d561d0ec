package io.mainstem.routing;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A consumer as its head sees it. Thread: the session's event loop. Calls take effect with
 * {@link BrokerSession#flush}.
 */
public interface ConsumerHandle {
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

    /**
     * Accepts one delivery and keeps records of the head in the same group: after a crash both count or none. Completes
     * when that is on disk.
     */
    CompletionStage<@Nullable Void> accept(long deliveryId, List<HeadRecord> records);

    /** Detaches; unsettled deliveries get the spec's {@code onLoss}. Idempotent. */
    void close();

    /** As {@link #close()}, with another outcome for what is unsettled. */
    void close(Outcome unsettled);
}
