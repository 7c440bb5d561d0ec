package io.mainstem.amqp.v1;

import io.mainstem.routing.Delivery;
import io.mainstem.routing.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.jspecify.annotations.Nullable;

/**
 * What comes of comparing both sides' unsettled maps when the peer resumes a link on which it receives (AMQP 1.0 part 2,
 * 2.6.13):
 *
 * <ul>
 *   <li>the peer has an outcome: it counts, and the delivery is settled;
 *   <li>the peer has the delivery without an outcome: it is sent again as a resumed one, from its beginning;
 *   <li>the peer does not have it: either it never came or its settlement was lost. It gets the source's default outcome,
 *       so that it comes again as a new delivery, marked as one that failed if the source says so.
 * </ul>
 *
 * @param unsettled for our attach; null = nothing
 * @param again to be sent again, in their order
 */
record ResumedDeliveries(@Nullable Map<Binary, @Nullable DeliveryState> unsettled, List<Delivery> again) {
    /** Nothing is unsettled. */
    static final ResumedDeliveries NONE = new ResumedDeliveries(null, List.of());

    /** Settles what is settled by it. */
    static ResumedDeliveries of(ResumableConsumer consumer, Attach request, int frameBytesMax) {
        Map<Binary, @Nullable DeliveryState> theirs = UnsettledMaps.of(request);
        boolean incomplete = Boolean.TRUE.equals(request.getIncompleteUnsettled());
        List<Delivery> again = new ArrayList<>();
        for (Delivery delivery : List.copyOf(consumer.unsettled().values())) {
            long id = delivery.deliveryId();
            Outcome outcome = Outcomes.of(theirs.get(OutgoingMessage.tag(id)));
            if (outcome != null) {
                consumer.settle(id, id, outcome);
            } else if (theirs.containsKey(OutgoingMessage.tag(id))) {
                again.add(delivery);
            } else if (!incomplete) {
                consumer.settle(id, id, consumer.onLoss());
            }
        }
        return fitting(consumer, again, frameBytesMax);
    }

    /** What our attach has no room for goes back to the queue: then the map is complete. */
    private static ResumedDeliveries fitting(ResumableConsumer consumer, List<Delivery> again, int frameBytesMax) {
        int room = frameBytesMax / 2;
        int bytesEach = 2 + Integer.BYTES + 1;
        Map<Binary, @Nullable DeliveryState> map = new LinkedHashMap<>();
        List<Delivery> fitting = new ArrayList<>();
        for (Delivery delivery : again) {
            if ((map.size() + 1) * bytesEach <= room) {
                map.put(OutgoingMessage.tag(delivery.deliveryId()), null);
                fitting.add(delivery);
            } else {
                consumer.settle(delivery.deliveryId(), delivery.deliveryId(), consumer.onLoss());
            }
        }
        return new ResumedDeliveries(map.isEmpty() ? null : map, fitting);
    }
}
