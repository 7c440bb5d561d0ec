package io.mainstem.routing;

import java.util.List;

/** Receives a consumer's deliveries. Thread: the session's event loop. */
public interface DeliverySink {
    /** In queue order; one call per shard batch. */
    void onDeliveries(List<Delivery> deliveries);

    /** Drain is done: everything available up to {@code limit} was delivered before this call. */
    void onDrained(long limit);

    /** The broker ended the consumer: queue deleted, or the shard failed. Nothing follows. */
    void onCancelled(ErrorKind why, String text);
}
