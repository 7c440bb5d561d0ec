package io.mainstem.mqtt;

import io.mainstem.routing.ConsumerHandle;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.DeliverySink;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One queue a session takes deliveries from, and those that wait to be sent. Its credit follows what the client has
 * done with. Thread: the connection's event loop.
 */
final class DeliverySource implements DeliverySink {
    private final Outbound outbound;
    private final Sending sending;
    private final int credit;
    private final Deque<Delivery> waiting = new ArrayDeque<>(0);
    private @Nullable ConsumerHandle handle;
    private long done;
    private long limit;
    /** Nothing more is sent of it; what was sent is waited for. */
    private boolean retired;

    /** How deliveries of this source are sent. */
    interface Sending {
        /** The topic name the client sees. */
        String topic(Delivery delivery);

        /** What the subscriptions that match say. */
        SubscriptionSet.Match match(String topic, Delivery delivery);

        /** True if the client is not to get it any more, for something newer has taken its place. */
        boolean superseded(Delivery delivery);

        /** The queue is gone, and the consumer with it. */
        void gone();

        /** True if a stored message keeps its packet id for good, by its place in the queue. */
        boolean keepsPacketIds();
    }

    /** @param credit deliveries that are not done with at a time */
    DeliverySource(Outbound outbound, Sending sending, int credit) {
        this.outbound = outbound;
        this.sending = sending;
        this.credit = credit;
    }

    Sending sending() {
        return sending;
    }

    void attached(ConsumerHandle consumer) {
        handle = consumer;
    }

    ConsumerHandle handle() {
        ConsumerHandle attached = handle;
        if (attached == null) {
            throw new IllegalStateException("no consumer yet (expected: after it was attached)");
        }
        return attached;
    }

    @Nullable
    Delivery next() {
        return waiting.peek();
    }

    void taken() {
        waiting.remove();
    }

    /** The client is done with a delivery. */
    void accept(long deliveryId) {
        handle().settle(deliveryId, deliveryId, Outcome.ACCEPTED);
        done++;
    }

    /** The client will never be sent it: it is poison. */
    void reject(long deliveryId, Outcome poison) {
        handle().settle(deliveryId, deliveryId, poison);
        done++;
    }

    /** It goes back into its queue: it was not sent, and has expired. */
    void release(long deliveryId) {
        handle().settle(deliveryId, deliveryId, Outcome.UNSEEN);
        done++;
    }

    /** As {@link #accept}, where the settlement was handed over otherwise. */
    void settled() {
        done++;
    }

    /** What has not been sent goes back, and nothing more comes; what was sent stays the client's. */
    void retire() {
        retired = true;
        if (handle != null) {
            handle.limit(0, false);
        }
        giveBackWaiting();
    }

    boolean retired() {
        return retired;
    }

    private void giveBackWaiting() {
        for (Delivery next = waiting.poll(); next != null; next = waiting.poll()) {
            handle().settle(next.deliveryId(), next.deliveryId(), Outcome.UNSEEN);
        }
    }

    /** Grants what the client has earned; takes effect with the session's flush. */
    void grantCredit() {
        if (handle != null && !retired && done + credit > limit) {
            limit = done + credit;
            handle().limit(limit, false);
        }
    }

    void close() {
        if (handle != null) {
            handle.close();
            handle = null;
        }
        waiting.clear();
    }

    @Override
    public void onDeliveries(List<Delivery> deliveries) {
        waiting.addAll(deliveries);
        if (retired) {
            giveBackWaiting();
        }
        outbound.arrived();
    }

    @Override
    public void onDrained(long drainedLimit) {
        // Never asked for.
    }

    @Override
    public void onCancelled(ErrorKind why, String text) {
        handle = null;
        waiting.clear();
        outbound.sourceGone(this, why, text);
        if (why != ErrorKind.UNAVAILABLE && !retired) {
            sending.gone();
        }
    }
}
