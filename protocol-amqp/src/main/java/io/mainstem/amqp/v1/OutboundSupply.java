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
    /** Sent before on this link, which is resumed: they go out again first. */
    private final ArrayDeque<Delivery> again = new ArrayDeque<>(0);

    private final ReadAhead ahead = new ReadAhead();
    private @Nullable DeliverySource source;
    /** The same, if it can outlive the link. */
    private @Nullable KeptConsumer kept;
    /** What is held can go back to the queue; not so what is browsed, or settled by being delivered. */
    private boolean returnable;
    /** Ids below this one were given by the broker, sent or held. */
    private long received;

    private long asked;
    /** The broker was asked to drain and has not answered yet. */
    private boolean draining;
    /** It has answered, but not all that it gave has been sent yet. */
    private boolean drained;

    OutboundSupply(AmqpSession session) {
        this.session = session;
    }

    /** @param canReturn what is not sent may go back */
    void open(DeliverySource from, boolean canReturn) {
        source = from;
        returnable = canReturn;
    }

    /**
     * As {@link #open}, with a consumer that may have had another link before.
     *
     * @param resent what goes out again
     */
    void open(KeptConsumer its, boolean canReturn, List<Delivery> resent) {
        open(its, canReturn);
        kept = its;
        received = its.next();
        asked = received;
        again.addAll(resent);
        if (its instanceof ResumableConsumer own) {
            session.connection().linkSessions().add(own.broker());
        }
    }

    /** Where deliveries come from, or null if there is nothing, or nothing any more. */
    @Nullable
    DeliverySource source() {
        return source;
    }

    @Nullable
    KeptConsumer kept() {
        return kept;
    }

    /** Forgets the broker's consumer; what was held is dropped with {@link #clear}. */
    @Nullable
    DeliverySource disconnect() {
        DeliverySource from = source;
        if (kept instanceof ResumableConsumer own) {
            session.connection().linkSessions().remove(own.broker());
        }
        source = null;
        kept = null;
        again.clear();
        return from;
    }

    void clear() {
        held.clear();
    }

    // ---- asking ----------------------------------------------------------------------------------------------

    /** Tells the broker how far it may go. */
    void ask(int credit, boolean drain) {
        DeliverySource from = source;
        if (from == null || isFull()) {
            return;
        }
        long limit = sent() + Math.min(Math.max(0, credit - again.size()), ahead.deliveries());
        if (limit != asked || (drain && !draining)) {
            asked = limit;
            draining = drain;
            from.limit(limit, drain);
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

    /** True if some of what was sent must be settled before more is. */
    boolean isFull() {
        return kept != null && kept.isFull();
    }

    private long sent() {
        return received - held.size();
    }

    /** Nothing may be sent: what is held goes back, for other consumers. */
    void withdraw() {
        DeliverySource from = source;
        boolean back = returnable && !held.isEmpty();
        if (from != null && (back || asked > received)) {
            // The limit first, so that what goes back does not come here again.
            asked = received;
            from.limit(asked, false);
            if (back) {
                from.settle(sent(), received - 1, Outcome.RELEASED);
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
            from.settle(sent, asked - 1, Outcome.RELEASED);
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
        return held.isEmpty() && again.isEmpty();
    }

    boolean isHolding() {
        return !held.isEmpty();
    }

    /** The next to be sent, or null. */
    @Nullable
    Delivery peek() {
        return again.isEmpty() ? held.peek() : again.peek();
    }

    /** Takes the next one out; true if it was sent before. */
    boolean take() {
        boolean resumed = again.poll() != null;
        if (!resumed) {
            held.poll();
        }
        return resumed;
    }

    /** The one just taken out is sent. */
    void onSent(Delivery delivery, boolean resumed) {
        ahead.onSent(delivery.message().sectionBytes());
        if (kept != null && !resumed) {
            kept.sent(delivery);
        }
    }

    /** The one just taken out cannot be sent here. */
    void refuse(Delivery delivery, Outcome outcome) {
        DeliverySource from = source;
        if (from != null && returnable) {
            from.settle(delivery.deliveryId(), delivery.deliveryId(), outcome);
        }
    }

    /** By what a transaction retires these, or null if they are gone. */
    @Nullable
    ConsumerHandle retired(long first, long last) {
        if (kept != null) {
            return kept.retired(first, last);
        }
        return source instanceof ConsumerHandle handle ? handle : null;
    }
}
