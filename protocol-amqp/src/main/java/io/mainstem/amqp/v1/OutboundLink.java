package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.FlowFrame;
import io.mainstem.amqp.v1.wire.FrameWriter;
import io.mainstem.routing.ConsumerHandle;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.DeliverySink;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import java.util.ArrayDeque;
import java.util.List;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The broker sends: a consumer's deliveries become transfers, as far as link credit, session window and socket allow.
 * What none of them allows yet is held here, and is bounded by {@link ReadAhead}.
 *
 * <p>Thread: the connection's event loop.
 */
final class OutboundLink extends AmqpLink implements FrameWriter.LinkFlow, DeliverySink {
    /** What a link sends before the next one of its session gets its turn, when the socket is slow. */
    private static final long TURN_BYTES = 64 << 10;

    private static final Logger LOG = LoggerFactory.getLogger(OutboundLink.class);

    private final boolean presettled;
    /**
     * For deliveries without an answer [J-3]. If the peer ends its session or connection in order, the failure count is
     * not raised by it: Qpid JMS has then said which deliveries its application saw, and counting the others would
     * dead-letter messages that nobody ever looked at.
     */
    private final Outcome onLoss;

    private final ArrayDeque<Delivery> held = new ArrayDeque<>();
    /** Sent before on this link, which is resumed: they go out again first. */
    private final ArrayDeque<Delivery> again = new ArrayDeque<>(0);

    private final OutgoingMessage sending;

    private @Nullable ConsumerHandle consumer;
    /** The same, if it can outlive this link. */
    private @Nullable ResumableConsumer resumable;
    /** What is held can go back to the queue; not so what is browsed, or settled by being delivered. */
    private boolean returnable;

    private Feed.@Nullable Closing onPeerClosed;
    /** Nobody else can consume from the queue. */
    private boolean alone;
    /** Largest message the peer takes, 0 = any. */
    private final long messageBytesMax;

    private boolean skipped;

    private int deliveryCount;
    private int credit;
    private boolean drain;
    /** Ids below this one were given by the broker, sent or held. */
    private long received;

    private long asked;
    private final ReadAhead ahead = new ReadAhead();
    /** The broker was asked to drain and has not answered yet. */
    private boolean draining;
    /** It has answered, but not all that it gave has been sent yet. */
    private boolean drained;
    /** Waits in the session for its turn to send. */
    private boolean waiting;

    OutboundLink(AmqpSession session, Attach attach, boolean presettled, Outcome onLoss) {
        super(session, attach);
        this.presettled = presettled;
        this.onLoss = onLoss;
        this.messageBytesMax = attach.getMaxMessageSize() == null
                ? 0
                : Math.max(0, attach.getMaxMessageSize().longValue());
        this.sending = new OutgoingMessage(session, handle, presettled);
    }

    /**
     * The consumer is attached; deliveries may follow.
     *
     * @param browse it leaves the messages where they are
     * @param closed run when the peer closes the link, to take its queue away, or null
     */
    void attached(Attach reply, ConsumerHandle handleOfConsumer, boolean browse, Feed.@Nullable Closing closed) {
        this.onPeerClosed = closed;
        this.returnable = !browse && !presettled;
        consumer = handleOfConsumer;
        attached(reply);
        if (!isAttached()) {
            // Lost meanwhile, or closed again at once.
            consumer = null;
            handleOfConsumer.close(Outcome.RELEASED);
        } else if (credit > 0) {
            askForMore();
        } else if (drain) {
            session.sendFlow(handle, this);
        }
    }

    /**
     * As above, with a consumer that outlives the link; it may have had another link before.
     *
     * @param resent what goes out again
     */
    void attached(Attach reply, ResumableConsumer its, List<Delivery> resent, Feed.@Nullable Closing closed) {
        resumable = its;
        received = its.next();
        asked = received;
        again.addAll(resent);
        session.connection().linkSessions().add(its.broker());
        attached(reply, its, false, closed);
        if (!isAttached()) {
            session.connection().linkSessions().remove(its.broker());
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
        int peerCount = flow.deliveryCount() < 0 ? 0 : (int) flow.deliveryCount();
        if (flow.linkCredit() >= 0) {
            // Credit counts from what the peer had seen; what was sent since then has used some of it.
            long left = flow.linkCredit() - (deliveryCount - peerCount);
            credit = (int) Math.max(0, Math.min(left, Integer.MAX_VALUE));
        }
        drain = flow.drain();
        draining &= drain;
        drained &= drain;
        if (state() != State.ATTACHED) {
            return;
        }
        if (consumer == null) {
            giveUpCredit();
        } else if (credit > 0) {
            askForMore();
            pump();
        } else {
            withoutCredit();
        }
        if (flow.echo() && !flow.drain()) {
            session.sendFlow(handle, this);
        }
    }

    /** Nothing may be sent: what is held goes back, for other consumers, and draining is done. */
    private void withoutCredit() {
        ConsumerHandle from = consumer;
        boolean back = returnable && !held.isEmpty();
        if (from != null && (back || asked > received)) {
            // The limit first, so that what goes back does not come here again.
            asked = received;
            from.limit(asked, false);
            if (back) {
                from.settle(received - held.size(), received - 1, Outcome.RELEASED);
                held.clear();
            }
            session.connection().scheduleFlush();
        }
        draining = false;
        drained = false;
        if (drain) {
            session.sendFlow(handle, this);
            drain = false;
        }
    }

    /** Nobody delivers here: a draining peer must still get its answer. */
    private void giveUpCredit() {
        if (drain) {
            deliveryCount += credit;
            credit = 0;
            session.sendFlow(handle, this);
        }
    }

    /** Tells the broker how far it may go: as far as the peer's credit, but not far ahead of the socket. */
    private void askForMore() {
        ConsumerHandle from = consumer;
        if (from == null) {
            return;
        }
        long sent = received - held.size();
        if (resumable != null && resumable.isFull()) {
            return;
        }
        long limit = sent + Math.min(Math.max(0, credit - again.size()), ahead.deliveries());
        if (limit != asked || (drain && !draining)) {
            asked = limit;
            draining = drain;
            from.limit(limit, drain);
            session.connection().scheduleFlush();
        }
    }

    @Override
    public void onDeliveries(List<Delivery> deliveries) {
        received += deliveries.size();
        if (state() == State.DETACHING || state() == State.GONE) {
            return;
        }
        held.addAll(deliveries);
        if (credit > 0) {
            pump();
        } else {
            withoutCredit();
        }
        session.connection().scheduleFlush();
    }

    @Override
    public void onDrained(long limit) {
        if (!isAttached() || !drain || limit != asked) {
            // Of no interest any more, or another limit is under way and will be answered, too.
            return;
        }
        draining = false;
        drained = true;
        pump();
        session.connection().scheduleFlush();
    }

    /** The broker has nothing left below {@link #asked}, and all it had has been sent. */
    private void drainFurther() {
        drained = false;
        boolean allOfIt = received >= asked;
        // What was not used has been given up by the broker, and must be asked for anew.
        asked = received;
        if (allOfIt && credit > 0) {
            askForMore();
            return;
        }
        deliveryCount += credit;
        credit = 0;
        session.sendFlow(handle, this);
        drain = false;
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
                Delivery next = credit <= 0 ? null : again.isEmpty() ? held.peek() : again.peek();
                if (next == null) {
                    break;
                }
                if (isTooLarge(next)) {
                    skip(next);
                    continue;
                }
                start(next);
            }
            left -= sending.frame();
        }
        if (!sending.isIdle() || (!(held.isEmpty() && again.isEmpty()) && credit > 0)) {
            waiting = true;
            session.await(this);
        }
        if (drained && held.isEmpty() && again.isEmpty() && sending.isIdle()) {
            drainFurther();
        } else if (credit <= 0 && !held.isEmpty()) {
            withoutCredit();
        } else {
            refill();
        }
    }

    private boolean isTooLarge(Delivery delivery) {
        return messageBytesMax > 0 && sending.bytesMax(delivery) > messageBytesMax;
    }

    /**
     * The peer does not take messages of this size. Others may; where there are none, it is dead-lettered for that
     * reason [D-4], [T-3].
     */
    private void skip(Delivery delivery) {
        if (again.poll() == null) {
            held.poll();
        }
        ConsumerHandle from = consumer;
        if (from != null && returnable) {
            long id = delivery.deliveryId();
            from.settle(id, id, alone ? Outcome.TOO_LARGE : new Outcome.Modified(false, true));
        }
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
        ahead.onSent(delivery.message().sectionBytes());
        credit--;
        deliveryCount++;
        boolean resumed = again.poll() != null;
        if (!resumed) {
            held.poll();
        }
        ResumableConsumer keeper = resumable;
        if (keeper != null && !resumed) {
            keeper.sent(delivery);
        }
        int deliveryId = sending.begin(delivery, keeper != null, resumed);
        if (!presettled) {
            session.unsettled().add(deliveryId, this, delivery.deliveryId());
        }
    }

    /** Asks for the next batch when half of the last one went; the batch grows while messages are small. */
    private void refill() {
        long sent = received - held.size();
        if (asked - sent <= ahead.deliveries() / 2 && asked < sent + credit) {
            ahead.grow();
            askForMore();
        }
    }

    /**
     * The peer settled broker ids {@code first} to {@code last}.
     *
     * @param outcome null = it did not say
     */
    void settle(long first, long last, @Nullable Outcome outcome) {
        ConsumerHandle to = consumer;
        if (to != null) {
            boolean waits = resumable != null && resumable.isFull();
            to.settle(first, last, outcome == null ? onLoss : outcome);
            if (waits) {
                askForMore();
            }
        }
    }

    /**
     * The peer retires broker ids {@code first} to {@code last} with a transaction.
     *
     * @param outcome null = it did not say
     * @param settled the peer has forgotten them
     */
    void retire(OpenTransaction transaction, long first, long last, @Nullable Outcome outcome, boolean settled) {
        ConsumerHandle to = resumable == null ? consumer : resumable.retired(first, last);
        if (to != null) {
            transaction.retire(to, first, last, outcome == null ? onLoss : outcome, settled);
        }
    }

    @Override
    public void onCancelled(ErrorKind why, String text) {
        consumer = null;
        forgetResumable();
        detach(true, new ErrorCondition(AmqpErrors.condition(why), text));
        session.connection().scheduleFlush();
    }

    @Override
    void onPeerDetach(boolean closed) {
        Feed.Closing hook = onPeerClosed;
        if (closed && hook != null) {
            onPeerClosed = null;
            leave(false, false);
            hook.close().whenComplete((done, failure) -> {
                finishDetach(true, failure == null ? null : AmqpErrors.of(failure));
                session.connection().scheduleFlush();
            });
        } else {
            super.onPeerDetach(closed);
        }
    }

    private void forgetResumable() {
        if (resumable != null) {
            session.connection().linkSessions().remove(resumable.broker());
            resumable = null;
        }
    }

    /** What was not sent is given back; what was sent and not settled stays with the consumer. */
    @Override
    @Nullable
    Suspension suspend(boolean orderly) {
        ResumableConsumer kept = resumable;
        if (kept == null || !kept.hasUnsettled()) {
            return null;
        }
        giveBackUnsent(kept);
        consumer = null;
        forgetResumable();
        kept.suspend(unsettledOutcome(orderly));
        return kept;
    }

    private Outcome unsettledOutcome(boolean orderly) {
        return orderly && onLoss.equals(Outcome.FAILED) ? Outcome.RELEASED : onLoss;
    }

    /** Without credit first, so that what is given back does not come here again. */
    private void giveBackUnsent(ConsumerHandle from) {
        long sent = received - held.size();
        from.limit(received, false);
        if (asked > sent) {
            from.settle(sent, asked - 1, Outcome.RELEASED);
        }
    }

    @Override
    void release(boolean orderly) {
        ConsumerHandle from = consumer;
        consumer = null;
        again.clear();
        forgetResumable();
        if (!presettled) {
            session.unsettled().forget(this);
        }
        if (from != null) {
            // What never left this process was no failed delivery, whatever the peer's default outcome says.
            giveBackUnsent(from);
            from.close(unsettledOutcome(orderly));
        }
        held.clear();
    }

    @Override
    public int deliveryCount() {
        return deliveryCount;
    }

    @Override
    public int credit() {
        return credit;
    }

    @Override
    public boolean drain() {
        return drain;
    }

    /** Ends the link because the broker could not do what it hangs on. */
    void fail(Throwable failure) {
        detach(true, AmqpErrors.of(failure));
        session.connection().scheduleFlush();
    }
}
