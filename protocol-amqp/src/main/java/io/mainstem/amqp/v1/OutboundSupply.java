package io.mainstem.amqp.v1;

import io.mainstem.routing.ConsumerHandle;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.DeliverySource;
import io.mainstem.routing.Outcome;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a link has to send: asks the broker for it as far as the peer's credit goes, though not far ahead of the socket,
 * and holds what was not sent yet. Thread: the connection's event loop.
 */
final class OutboundSupply {
    private final AmqpSession session;
    private final ArrayDeque<Delivery> held = new ArrayDeque<>();
    private final ReadAhead ahead = new ReadAhead();
    private @Nullable DeliverySource source;
    /** What is held can go back to the queue; not so what is browsed, or settled by being delivered. */
    private boolean returnable;
    /** Ids below this one were given by the broker, sent or held. */
    private long received;

    private long asked;
    /** The broker was told that more is asked for as soon as this has been sent. */
    private boolean promised;
    /** The broker was asked to drain and has not answered yet. */
    private boolean draining;
    /** It has answered, but not all that it gave has been sent yet. */
    private boolean drained;

    OutboundSupply(AmqpSession session) {
        this.session = session;
    }

    /**
     * @param canReturn what is not sent may go back
     * @param next id of its first delivery to this link
     */
    void open(DeliverySource from, boolean canReturn, long next) {
        source = from;
        returnable = canReturn;
        received = next;
        asked = next;
    }

    /** Where deliveries come from, or null if there is nothing, or nothing any more. */
    @Nullable
    DeliverySource source() {
        return source;
    }

    /** Forgets the broker's consumer; what was held is dropped with {@link #clear}. */
    @Nullable
    DeliverySource disconnect() {
        DeliverySource from = source;
        source = null;
        return from;
    }

    void clear() {
        held.clear();
    }

    // ---- asking ----------------------------------------------------------------------------------------------

    /** Tells the broker how far it may go. */
    void ask(int credit, boolean drain) {
        DeliverySource from = source;
        if (from == null) {
            return;
        }
        long limit = sent() + Math.min(credit, ahead.deliveries());
        boolean more = credit > ahead.deliveries();
        if (limit != asked || more != promised || (drain && !draining)) {
            asked = limit;
            promised = more;
            draining = drain;
            from.limit(limit, drain, more);
            session.connection().scheduleFlush();
        }
    }

    /** Asks for the next batch when half of the last one went; the batch grows while messages are small. */
    void refill(int credit, boolean drain) {
        if (asked - sent() <= ahead.deliveries() / 2 && asked < sent() + credit) {
            ahead.grow();
            ask(credit, drain);
        }
    }

    /** Nothing can be sent for now: what the peer would take besides may go to others. */
    void stalled() {
        DeliverySource from = source;
        if (from != null && promised && !draining) {
            promised = false;
            from.limit(asked, draining, false);
            session.connection().scheduleFlush();
        }
    }

    private long sent() {
        return received - held.size();
    }

    /** Nothing may be sent: what is held goes back, for other consumers. */
    void withdraw() {
        DeliverySource from = source;
        boolean back = returnable && !held.isEmpty();
        if (from != null && (back || asked > received || promised)) {
            // The limit first, so that what goes back does not come here again.
            asked = received;
            promised = false;
            from.limit(asked, false);
            if (back) {
                from.settle(sent(), received - 1, Outcome.UNSEEN);
                held.clear();
            }
            session.connection().scheduleFlush();
        }
        endDrain();
    }

    /** What was not sent is given back for good; the source makes no more. */
    void giveBack(DeliverySource from) {
        long sent = sent();
        from.limit(received, false);
        if (asked > sent) {
            from.settle(sent, asked - 1, Outcome.UNSEEN);
        }
    }

    // ---- draining --------------------------------------------------------------------------------------------

    /** The peer drains no longer, or the drain is answered. */
    void endDrain() {
        draining = false;
        drained = false;
    }

    /** The broker has answered; true if that was to the last question. */
    boolean onDrained(long limit) {
        if (limit != asked) {
            // Another limit is under way and will be answered, too.
            return false;
        }
        draining = false;
        drained = true;
        return true;
    }

    /** True if the broker has nothing left below what it was asked for, and all it had has been sent. */
    boolean isDrained() {
        return drained && isEmpty();
    }

    /** Ends the drain; true if there may be more, because the broker was asked for less than the peer wants. */
    boolean takeDrained() {
        drained = false;
        boolean allOfIt = received >= asked;
        // What was not used has been given up by the broker, and must be asked for anew.
        asked = received;
        promised = false;
        return allOfIt;
    }

    // ---- deliveries ------------------------------------------------------------------------------------------

    void arrived(int deliveries) {
        received += deliveries;
    }

    void hold(List<Delivery> deliveries) {
        held.addAll(deliveries);
    }

    boolean isEmpty() {
        return held.isEmpty();
    }

    /** The next to be sent, or null. */
    @Nullable
    Delivery peek() {
        return held.peek();
    }

    /** Takes the next one out. */
    void take() {
        held.poll();
    }

    /** The one just taken out is sent. */
    void onSent(Delivery delivery) {
        ahead.onSent(delivery.message().sectionBytes());
    }

    /** The one just taken out cannot be sent here. */
    void refuse(Delivery delivery, Outcome outcome) {
        DeliverySource from = source;
        if (from != null && returnable) {
            from.settle(delivery.deliveryId(), delivery.deliveryId(), outcome);
        }
    }

    /** By what a transaction retires deliveries, or null if it is gone. */
    @Nullable
    ConsumerHandle consumer() {
        if (source instanceof SessionConsumer kept) {
            return kept.handle();
        }
        return source instanceof ConsumerHandle handle ? handle : null;
    }
}
