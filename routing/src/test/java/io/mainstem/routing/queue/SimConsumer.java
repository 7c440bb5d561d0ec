package io.mainstem.routing.queue;

import io.mainstem.routing.ConsumerHandle;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.DeliverySink;
import io.mainstem.routing.ErrorKind;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A consumer that lets the model look at each delivery, and keeps it until the test settles it. */
final class SimConsumer implements DeliverySink {
    final int client;
    final String queue;
    final Map<Long, SimCopy> held = new LinkedHashMap<>();
    private final SteppedBroker broker;
    private final SimModel model;
    private @Nullable ConsumerHandle handle;
    private long limit;
    private boolean ended;

    SimConsumer(SteppedBroker broker, SimModel model, int client, String queue) {
        this.broker = broker;
        this.model = model;
        this.client = client;
        this.queue = queue;
    }

    void attached(ConsumerHandle itsHandle) {
        handle = itsHandle;
    }

    /** The handle once there is one, and as long as it is of use. */
    @Nullable
    ConsumerHandle handle() {
        return ended ? null : handle;
    }

    void end() {
        ended = true;
    }

    void credit(long more) {
        ConsumerHandle open = handle();
        if (open != null) {
            limit += more;
            open.limit(limit, false);
        }
    }

    @Override
    public void onDeliveries(List<Delivery> deliveries) {
        for (Delivery delivery : deliveries) {
            SimCopy copy = model.delivered(queue, delivery, broker.handedMs());
            copy.heldBy = this;
            held.put(delivery.deliveryId(), copy);
        }
    }

    @Override
    public void onDrained(long drainedLimit) {
        // Drains are not asked for.
    }

    @Override
    public void onCancelled(ErrorKind why, String text) {
        ended = true;
    }
}
