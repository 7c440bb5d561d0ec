package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.FlowFrame;
import io.mainstem.routing.ConsumerHandle;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.DeliverySink;
import io.mainstem.routing.DeliverySource;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import java.util.List;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The broker sends: a consumer's deliveries become transfers, as far as link credit, session window and socket allow.
 *
 * <p>Thread: the connection's event loop.
 */
final class OutboundLink extends AmqpLink implements DeliverySink {
    /** What a link sends before the next one of its session gets its turn, when the socket is slow. */
    private static final long TURN_BYTES = 64 << 10;

    private static final Logger LOG = LoggerFactory.getLogger(OutboundLink.class);

    private final boolean presettled;
    /**
     * For deliveries without an answer [J-3]. If the peer closes its link, session or connection in order, the failure
     * count is not raised by it: Qpid JMS has then said which deliveries its application saw, and counting the others would
     * dead-letter messages that nobody ever looked at.
     */
    private final Outcome onLoss;

    private final boolean releasesUnseen;

    private final OutboundCredit credit;
    private final OutboundSupply supply;
    private final OutgoingMessage sending;
    private Feed.@Nullable Closing onPeerClosed;
    /** Nobody else can consume from the queue. */
    private boolean alone;
    /** Largest message the peer takes, 0 = any. */
    private final long messageBytesMax;

    private boolean skipped;
    /** Waits in the session for its turn to send. */
    private boolean waiting;

    OutboundLink(AmqpSession session, Attach attach, boolean presettled, Outcome onLoss) {
        super(session, attach);
        this.presettled = presettled;
        this.onLoss = onLoss;
        this.releasesUnseen = Capabilities.has(attach.getDesiredCapabilities(), Capabilities.RELEASED_UNSEEN);
        this.messageBytesMax = attach.getMaxMessageSize() == null
                ? 0
                : Math.max(0, attach.getMaxMessageSize().longValue());
        this.credit = new OutboundCredit(session, handle);
        this.supply = new OutboundSupply(session);
        this.sending = new OutgoingMessage(session, handle, presettled);
    }

    /**
     * The consumer is attached; deliveries may follow.
     *
     * @param browse it leaves the messages where they are
     * @param closed run when the peer closes the link, to take its queue away, or null
     */
    void attached(Attach reply, DeliverySource source, boolean browse, Feed.@Nullable Closing closed) {
        supply.open(source, !browse && !presettled, 0);
        begin(reply, source, closed);
    }

    /** As above, with a consumer that can outlive the link; it may have had another link before. */
    void attached(Attach reply, SessionConsumer its, Feed.@Nullable Closing closed) {
        supply.open(its, !presettled, its.next());
        begin(reply, its, closed);
    }

    private void begin(Attach reply, DeliverySource source, Feed.@Nullable Closing closed) {
        onPeerClosed = closed;
        attached(reply);
        if (!isAttached()) {
            // Lost meanwhile, or closed again at once.
            supply.disconnect();
            source.close(Outcome.UNSEEN);
        } else if (credit.isLeft()) {
            supply.ask(credit.credit(), credit.drain());
        } else {
            credit.giveBack();
        }
    }

    /** Its queue is for this link alone; before {@code attached}. */
    void alone(boolean only) {
        alone = only;
    }

    /** Attached without a consumer: the peer only asks what there is, and may close it [mapping 4.6]. */
    void attachedIdle(Attach reply, Feed.Closing closed) {
        this.onPeerClosed = closed;
        attached(reply);
    }

    @Override
    void onFlow(FlowFrame flow) {
        credit.onFlow(flow);
        if (!credit.drain()) {
            supply.endDrain();
        }
        if (state() != State.ATTACHED) {
            return;
        }
        if (supply.source() == null) {
            // Nobody delivers here: a draining peer must still get its answer.
            credit.giveBack();
        } else if (credit.isLeft()) {
            supply.ask(credit.credit(), credit.drain());
            pump();
        } else {
            withoutCredit();
        }
        if (flow.echo() && !flow.drain()) {
            credit.flow();
        }
    }

    /** Nothing may be sent: what is held goes back, and draining is done. */
    private void withoutCredit() {
        supply.withdraw();
        credit.giveBack();
    }

    @Override
    public void onDeliveries(List<Delivery> deliveries) {
        supply.arrived(deliveries.size());
        if (state() == State.DETACHING || state() == State.GONE) {
            return;
        }
        supply.hold(deliveries);
        if (credit.isLeft()) {
            pump();
        } else {
            withoutCredit();
        }
        session.connection().scheduleFlush();
    }

    @Override
    public void onDrained(long limit) {
        if (isAttached() && credit.drain() && supply.onDrained(limit)) {
            pump();
            session.connection().scheduleFlush();
        }
    }

    /** The session lets it send again, as much as the others in turn. */
    void turn() {
        waiting = false;
        pump(TURN_BYTES);
    }

    /** Sends what may be sent now, unless others wait for the same. */
    private void pump() {
        if (!waiting) {
            pump(Long.MAX_VALUE);
        }
    }

    private void pump(long bytesMax) {
        if (!isAttached()) {
            return;
        }
        long left = bytesMax;
        while (left > 0 && session.canTransfer()) {
            if (sending.isIdle()) {
                Delivery next = credit.isLeft() ? supply.peek() : null;
                if (next == null) {
                    break;
                }
                if (next.late(session.connection().clock().millis())) {
                    expire(next);
                    continue;
                }
                if (isTooLarge(next)) {
                    skip(next);
                    continue;
                }
                start(next);
            }
            left -= sending.frame();
        }
        endDrainWithoutWindow();
        if (!sending.isIdle() || (!supply.isEmpty() && credit.isLeft())) {
            waiting = true;
            session.await(this);
            if (!session.canTransfer()) {
                supply.stalled();
            }
        }
        if (supply.isDrained() && sending.isIdle()) {
            drainFurther();
        } else if (!credit.isLeft() && !supply.isEmpty()) {
            withoutCredit();
        } else {
            supply.refill(credit.credit(), credit.drain());
        }
    }

    /** A peer that takes no transfers may wait for the end of its drain before it does again: it gets its credit back. */
    void endDrainWithoutWindow() {
        if (isAttached() && credit.drain() && session.windows().isClosed()) {
            withoutCredit();
        }
    }

    private void drainFurther() {
        if (supply.takeDrained() && credit.isLeft()) {
            supply.ask(credit.credit(), credit.drain());
        } else {
            credit.giveBack();
        }
    }

    private boolean isTooLarge(Delivery delivery) {
        return messageBytesMax > 0 && sending.bytesMax(delivery) > messageBytesMax;
    }

    /** Its time was over before its first frame was written [T-4]: its queue deals with it. */
    private void expire(Delivery delivery) {
        supply.take();
        supply.refuse(delivery, Outcome.RELEASED);
        session.connection().scheduleFlush();
    }

    /**
     * The peer does not take messages of this size. Others may; where there are none, it is dead-lettered for that
     * reason [D-4], [T-3].
     */
    private void skip(Delivery delivery) {
        supply.take();
        supply.refuse(delivery, alone ? Outcome.TOO_LARGE : new Outcome.Modified(false, true));
        if (!skipped) {
            skipped = true;
            LOG.warn(
                    "MS-0553 message larger than the link takes is skipped; more are not told link=\"{}\" peer={}"
                            + " max-message-size={} fix: attach with a larger max-message-size",
                    name,
                    session.connection().peer(),
                    messageBytesMax);
        }
        session.connection().scheduleFlush();
    }

    private void start(Delivery delivery) {
        credit.used();
        supply.take();
        supply.onSent(delivery);
        int deliveryId = sending.begin(delivery);
        if (!presettled) {
            session.unsettled().add(deliveryId, this, delivery.deliveryId());
        }
    }

    /**
     * The peer settled broker ids {@code first} to {@code last}.
     *
     * @param outcome null = it did not say
     */
    void settle(long first, long last, @Nullable Outcome outcome) {
        DeliverySource to = supply.source();
        if (to != null) {
            Outcome said = outcome == null ? onLoss : outcome;
            to.settle(first, last, releasesUnseen && said.equals(Outcome.RELEASED) ? Outcome.UNSEEN : said);
        }
    }

    /**
     * The peer retires broker ids {@code first} to {@code last} with a transaction.
     *
     * @param outcome null = it did not say
     * @param settled the peer has forgotten them
     */
    void retire(OpenTransaction transaction, long first, long last, @Nullable Outcome outcome, boolean settled) {
        ConsumerHandle to = supply.consumer();
        if (to != null) {
            transaction.retire(to, first, last, outcome == null ? onLoss : outcome, settled);
        }
    }

    @Override
    public void onCancelled(ErrorKind why, String text) {
        supply.disconnect();
        detach(true, new ErrorCondition(AmqpErrors.condition(why), text));
        session.connection().scheduleFlush();
    }

    @Override
    void onPeerDetach(boolean closed, boolean orderly) {
        Feed.Closing hook = onPeerClosed;
        if (closed && hook != null) {
            onPeerClosed = null;
            leave(orderly, false);
            hook.close().whenComplete((done, failure) -> {
                finishDetach(true, failure == null ? null : AmqpErrors.of(failure));
                session.connection().scheduleFlush();
            });
        } else {
            super.onPeerDetach(closed, orderly);
        }
    }

    @Override
    void keepSubscription(LinkKey itsKey, boolean orderly) {
        if (supply.source() instanceof SessionConsumer kept) {
            supply.giveBack(kept);
            supply.disconnect();
            if (kept.leave(unsettledOutcome(orderly))) {
                session.keep(itsKey, kept);
            }
        }
    }

    private Outcome unsettledOutcome(boolean orderly) {
        return orderly && onLoss.equals(Outcome.FAILED) ? Outcome.UNCOUNTED : onLoss;
    }

    @Override
    void release(boolean orderly) {
        if (!presettled) {
            session.unsettled().forget(this);
        }
        DeliverySource from = supply.disconnect();
        if (from != null) {
            // What never left this process was no failed delivery, whatever the peer's default outcome says.
            supply.giveBack(from);
            from.close(unsettledOutcome(orderly));
        }
        supply.clear();
    }

    /** Ends the link because the broker could not do what it hangs on. */
    void fail(Throwable failure) {
        detach(true, AmqpErrors.of(failure));
        session.connection().scheduleFlush();
    }
}
