package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.amqp.v1.wire.FlowFrame;
import io.mainstem.amqp.v1.wire.FrameWriter;
import io.mainstem.amqp.v1.wire.TransferFrame;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.PublishListener;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.MessageHeader;
import io.netty.buffer.ByteBuf;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.Rejected;
import org.apache.qpid.proton.amqp.messaging.Released;
import org.apache.qpid.proton.amqp.transaction.TransactionalState;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.apache.qpid.proton.amqp.transport.LinkError;
import org.apache.qpid.proton.amqp.transport.ReceiverSettleMode;
import org.jspecify.annotations.Nullable;

/**
 * The broker receives: transfers become messages, messages are published, results become dispositions.
 *
 * <p>Thread: the connection's event loop.
 */
final class InboundLink extends AmqpLink implements FrameWriter.LinkFlow, PublishListener {
    private static final int TAG_BYTES_MAX = 32;
    /** Flags beside the delivery-id in a publish tag. */
    private static final long SETTLED = 1L << 32;

    private static final long ACCEPT_UNROUTABLE = 1L << 33;
    /** The sender settles, after our answer (rcv-settle-mode second). */
    private static final long SECOND = 1L << 34;

    private final boolean settleSecond;
    private @Nullable PublishTarget target;
    private @Nullable Runnable onClosed;

    private int deliveryCount;
    private int credit;
    private int unanswered;

    private final IncompleteMessage incomplete;
    private final HeaderReader headers = new HeaderReader();
    private long currentId = -1;
    private boolean currentSettled;
    private boolean currentSecond;
    /** Of the current delivery, if it is part of one. */
    private @Nullable OpenTransaction currentTransaction;
    /** Why the current delivery is refused once it is complete. */
    private @Nullable ErrorCondition currentError;

    private final Postings postings = new Postings();
    /** What has become of each delivery, if the link can be resumed. */
    private @Nullable InboundUnsettled unsettled;

    /** Of a delivery that the peer resumes and whose outcome is known. */
    private @Nullable DeliveryState currentOutcome;

    InboundLink(AmqpSession session, Attach attach) {
        super(session, attach);
        this.settleSecond = attach.getRcvSettleMode() == ReceiverSettleMode.SECOND;
        this.deliveryCount = attach.getInitialDeliveryCount() == null
                ? 0
                : attach.getInitialDeliveryCount().intValue();
        this.incomplete = new IncompleteMessage(
                session.connection().limits().messageBytesMax(),
                session.connection().incompleteBudget());
    }

    /**
     * The target is resolved: from now on messages are taken.
     *
     * @param closed run when the peer closes the link (not when it is lost with its connection), or null
     */
    void attached(Attach reply, PublishTarget publishTarget, @Nullable Runnable closed) {
        this.target = publishTarget;
        this.onClosed = closed;
        attached(reply);
        if (isAttached()) {
            replenish();
        }
    }

    /** From now on outcomes are kept until they are settled; before {@link #attached}. */
    void track(InboundUnsettled kept, long forMs) {
        kept.resume();
        kept.keepFor(forMs);
        unsettled = kept;
    }

    /** Says in our attach what is kept of earlier deliveries. */
    void tellUnsettled(Attach reply) {
        if (unsettled != null && !unsettled.isEmpty()) {
            UnsettledMaps.set(reply, unsettled.outcomes(), session.connection().remoteFrameBytesMax());
        }
    }

    /** One frame of a delivery; the payload is between the reader index and {@code end}. */
    void onTransfer(TransferFrame transfer, ByteBuf in, int end) {
        if (!isAttached() || target == null) {
            return;
        }
        if (currentId < 0) {
            begin(transfer, in);
        } else if (transfer.deliveryId() >= 0 && transfer.deliveryId() != currentId) {
            throw AmqpException.link(
                    AmqpError.NOT_ALLOWED,
                    "MS-0507 delivery " + transfer.deliveryId() + " begins before delivery " + currentId
                            + " is complete");
        }
        if (transfer.settledGiven()) {
            currentSettled |= transfer.settled();
        }
        if (transfer.aborted()) {
            if (unsettled != null) {
                unsettled.aborted((int) currentId);
            }
            complete();
            incomplete.clear();
            replenish();
            return;
        }
        if (transfer.more()) {
            incomplete.append(in, end);
            return;
        }
        int id = (int) currentId;
        long tag = currentId | (currentSettled ? SETTLED : 0) | (currentSecond ? SECOND : 0);
        ErrorCondition error = currentError;
        DeliveryState known = currentOutcome;
        if (currentTransaction != null) {
            postings.begin(id, currentTransaction);
        }
        complete();
        if (error != null) {
            incomplete.clear();
            reject(tag, error);
            replenish();
            return;
        }
        if (known != null) {
            incomplete.clear();
            answer(tag, known);
            session.connection().scheduleFlush();
            replenish();
            return;
        }
        MessageHeader header = incomplete.isEmpty() ? headers.read(in, end) : null;
        target.publish(header, incomplete.complete(in, end), tag, this);
        replenish();
    }

    private void begin(TransferFrame transfer, ByteBuf in) {
        if (transfer.deliveryId() < 0 || transfer.tagBytes() < 0) {
            throw AmqpException.link(
                    AmqpError.INVALID_FIELD,
                    "MS-0507 first transfer of a delivery without delivery-id or delivery-tag");
        }
        if (transfer.tagBytes() > TAG_BYTES_MAX) {
            throw AmqpException.link(
                    AmqpError.INVALID_FIELD,
                    "MS-0507 delivery-tag of " + transfer.tagBytes() + " bytes (expected: at most " + TAG_BYTES_MAX
                            + ")");
        }
        if (credit <= 0) {
            throw AmqpException.link(
                    LinkError.TRANSFER_LIMIT_EXCEEDED,
                    "MS-0507 transfer without link credit at delivery " + transfer.deliveryId());
        }
        checkSettleMode(transfer);
        currentId = transfer.deliveryId();
        currentSettled = false;
        if (unsettled != null) {
            beginTracked(unsettled, transfer, in);
        }
        if (transfer.state() instanceof TransactionalState transactional) {
            try {
                currentTransaction = session.connection().transactions().find(transactional.getTxnId());
            } catch (AmqpException unknown) {
                currentError = unknown.toErrorCondition();
            }
        }
    }

    /** A delivery may ask for less than the link grants, not for more (AMQP 1.0 part 2, 2.7.5). */
    private void checkSettleMode(TransferFrame transfer) {
        currentSecond = settleSecond && transfer.rcvSettleMode() != 0;
        if (transfer.rcvSettleMode() > 0 && !settleSecond) {
            throw AmqpException.link(
                    AmqpError.INVALID_FIELD,
                    "MS-0552 delivery " + transfer.deliveryId() + " asks for rcv-settle-mode second on a link of mode"
                            + " first fix: attach the link with second");
        }
    }

    private void beginTracked(InboundUnsettled kept, TransferFrame transfer, ByteBuf in) {
        byte[] tag = transfer.tag(in);
        boolean settled = transfer.settledGiven() && transfer.settled();
        DeliveryState outcome = transfer.resume() ? kept.outcome(tag) : null;
        if (outcome != null) {
            currentOutcome = outcome;
            kept.resumed(transfer.deliveryId() < 0 ? 0 : (int) transfer.deliveryId(), tag, settled || !currentSecond);
        } else if (!settled && !(transfer.state() instanceof TransactionalState)) {
            kept.received((int) transfer.deliveryId(), tag);
        }
    }

    private void complete() {
        currentOutcome = null;
        currentId = -1;
        currentTransaction = null;
        currentError = null;
        deliveryCount++;
        credit--;
    }

    /** A message has to wait in the target until {@link #resumed}: it counts as not answered. */
    void postponed() {
        unanswered++;
    }

    void resumed() {
        unanswered--;
    }

    /** Called by the target once the message is built. */
    void publish(Message message, long tag, boolean acceptUnroutable) {
        OpenTransaction transaction = postings.end((int) tag);
        if (transaction != null) {
            post(transaction, message, tag, acceptUnroutable);
            return;
        }
        unanswered++;
        if (unsettled != null) {
            unsettled.published((int) tag);
        }
        try {
            session.connection().publishGate().publish(message, tag | (acceptUnroutable ? ACCEPT_UNROUTABLE : 0), this);
        } catch (BrokerException refused) {
            onPublished(tag, new PublishResult.Refused(refused.kind(), String.valueOf(refused.getMessage())));
        }
    }

    /** The outcome of a posting is provisional: it counts with the commit (AMQP 1.0 part 4, 4.4.1). */
    private void post(OpenTransaction transaction, Message message, long tag, boolean acceptUnroutable) {
        PublishResult result = transaction.post(message);
        byte[] state = transaction.accepted();
        if (result instanceof PublishResult.Refused refused) {
            Rejected rejected = new Rejected();
            rejected.setError(new ErrorCondition(AmqpErrors.condition(refused.kind()), refused.text()));
            state = DispositionBatch.encode(transaction.state(rejected));
        } else if (result instanceof PublishResult.Unroutable && !acceptUnroutable) {
            transaction.rollbackOnly(
                    Postings.refused(new ErrorCondition(AmqpError.NOT_FOUND, "no queue takes the message")));
            state = DispositionBatch.encode(transaction.state(Released.getInstance()));
        }
        if (isAttached() && (tag & SETTLED) == 0) {
            session.received().add((int) tag, (int) tag, (tag & SECOND) == 0, state);
        }
        transaction.postingEnded();
    }

    /** Answers a delivery, and settles it unless the sender is to do that. */
    void answer(long tag, DeliveryState state) {
        if (isAttached() && (tag & SETTLED) == 0) {
            boolean settle = (tag & SECOND) == 0;
            session.received().add((int) tag, (int) tag, settle, state);
            if (unsettled != null) {
                unsettled.answered((int) tag, state, settle);
            }
        }
    }

    /** The sender has settled what was answered. */
    void settledBySender(int first, int last) {
        if (unsettled != null) {
            unsettled.settledBySender(first, last);
            replenish();
        }
    }

    /** The message cannot be taken, for a reason that concerns it alone. */
    void reject(long tag, ErrorCondition error) {
        OpenTransaction transaction = postings.end((int) tag);
        if (transaction != null) {
            transaction.rollbackOnly(Postings.refused(error));
            Rejected rejected = new Rejected();
            rejected.setError(error);
            answer(tag, transaction.state(rejected));
            transaction.postingEnded();
            return;
        }
        if (!isAttached()) {
            lateAnswer(tag, rejected(error));
            return;
        }
        if ((tag & SETTLED) != 0) {
            // A presettled message has no other way to be refused.
            detach(true, error);
            return;
        }
        answer(tag, rejected(error));
        session.connection().scheduleFlush();
    }

    private Rejected rejected(ErrorCondition error) {
        Rejected rejected = new Rejected();
        rejected.setError(FrameFit.fit(error, session.connection().remoteFrameBytesMax()));
        return rejected;
    }

    /** The link is gone, but its sender may come back and ask. */
    private void lateAnswer(long tag, DeliveryState outcome) {
        if (unsettled != null && (tag & SETTLED) == 0) {
            unsettled.answered((int) tag, outcome, false);
        }
    }

    @Override
    public boolean outlivesSession() {
        return unsettled != null;
    }

    @Override
    public void onPublished(long tag, PublishResult result) {
        unanswered--;
        AmqpConnection connection = session.connection();
        if (result instanceof PublishResult.Unknown unknown) {
            // Neither accepted nor rejected would be true, so the peer must find out by itself.
            connection.fail(AmqpException.connection(AmqpError.ILLEGAL_STATE, unknown.text()));
            return;
        }
        if (!isAttached() && !(result instanceof PublishResult.Refused)) {
            lateAnswer(tag, outcome(tag, result));
            return;
        }
        if (result instanceof PublishResult.Refused refused) {
            reject(tag, new ErrorCondition(AmqpErrors.condition(refused.kind()), refused.text()));
        } else if ((tag & SETTLED) == 0) {
            answer(tag, outcome(tag, result));
        }
        replenish();
        connection.scheduleFlush();
    }

    /** [J-2]: Qpid JMS takes released for an error, and a topic without subscribers is none. */
    private static DeliveryState outcome(long tag, PublishResult result) {
        boolean accepted = result instanceof PublishResult.Stored || (tag & ACCEPT_UNROUTABLE) != 0;
        return accepted ? Accepted.getInstance() : Released.getInstance();
    }

    /** Grants credit in batches of half a window, unless the broker, the answers or the sender's settling lag behind. */
    void replenish() {
        int window = creditWindow();
        if (credit > window / 2
                || !isAttached()
                || session.connection().publishGate().isBlocked()
                || unanswered > 4 * window
                || (unsettled != null && unsettled.open() > 4 * window)) {
            return;
        }
        credit = window;
        session.sendFlow(handle, this);
    }

    private int creditWindow() {
        int window = session.connection().limits().linkCredit();
        PublishTarget to = target;
        return to == null ? window : Math.min(window, to.creditMax());
    }

    @Override
    void onFlow(FlowFrame flow) {
        if (flow.deliveryCount() >= 0 && currentId < 0) {
            // The sender may advance it only by giving up credit, which it was not asked to.
            int used = (int) flow.deliveryCount() - deliveryCount;
            if (used > 0 && used <= credit) {
                deliveryCount += used;
                credit -= used;
                replenish();
            }
        }
        if (flow.echo() && isAttached()) {
            session.sendFlow(handle, this);
        }
    }

    @Override
    void onPeerDetach(boolean closed) {
        super.onPeerDetach(closed);
        Runnable hook = onClosed;
        if (closed && hook != null) {
            onClosed = null;
            hook.run();
        }
    }

    @Override
    @Nullable
    Suspension suspend(boolean orderly) {
        return unsettled == null || unsettled.isEmpty() ? null : unsettled;
    }

    @Override
    void release(boolean orderly) {
        incomplete.clear();
        postings.lost(name);
        PublishTarget from = target;
        if (from != null) {
            from.released();
        }
    }

    @Override
    public int deliveryCount() {
        return deliveryCount;
    }

    @Override
    public int credit() {
        return Math.max(credit, 0);
    }

    @Override
    public boolean drain() {
        return false;
    }
}
