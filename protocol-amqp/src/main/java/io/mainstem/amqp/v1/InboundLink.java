package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.amqp.v1.wire.FlowFrame;
import io.mainstem.amqp.v1.wire.TransferFrame;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.PublishListener;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.MessageHeader;
import io.mainstem.transport.InputBudget;
import io.netty.buffer.ByteBuf;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.Rejected;
import org.apache.qpid.proton.amqp.messaging.Released;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.apache.qpid.proton.amqp.transport.ReceiverSettleMode;
import org.jspecify.annotations.Nullable;

/**
 * The broker receives: transfers become messages, messages are published, results become dispositions.
 *
 * <p>Thread: the connection's event loop.
 */
final class InboundLink extends AmqpLink implements PublishListener {
    private static final ErrorCondition UNROUTABLE =
            new ErrorCondition(AmqpError.NOT_FOUND, "no queue takes the message");

    private final InboundCredit credit;
    private final IncomingDelivery current;
    private final IncompleteMessage incomplete;
    private final HeaderReader headers = new HeaderReader();
    private final Postings postings = new Postings();
    private final SourceOutcomes outcomes;
    private @Nullable PublishTarget target;
    private @Nullable Runnable onClosed;

    InboundLink(AmqpSession session, Attach attach) {
        super(session, attach);
        UnsignedInteger count = attach.getInitialDeliveryCount();
        AmqpLimits limits = session.connection().limits();
        this.credit = new InboundCredit(session, handle, limits.linkCredit(), count == null ? 0 : count.intValue());
        this.outcomes = SourceOutcomes.of(attach);
        this.current = new IncomingDelivery(attach.getRcvSettleMode() == ReceiverSettleMode.SECOND);
        this.incomplete = new IncompleteMessage(
                limits.messageBytesMax(),
                session.connection()
                        .incompleteMessages()
                        .hold(() -> session.connection().context().executor().execute(this::lapsed)));
    }

    /**
     * The target is resolved: from now on messages are taken.
     *
     * @param closed run when the peer closes the link (not when it is lost with its connection), or null
     */
    void attached(Attach reply, PublishTarget publishTarget, @Nullable Runnable closed) {
        this.target = publishTarget;
        if (!publishTarget.takesPostings()) {
            credit.ofRequests();
        }
        this.onClosed = closed;
        attached(reply);
        if (isAttached()) {
            replenish();
        }
    }

    /** One frame of a delivery; the payload is between the reader index and {@code end}. */
    void onTransfer(TransferFrame transfer, ByteBuf in, int end) {
        PublishTarget to = target;
        if (!isAttached() || to == null) {
            postings.dropped(transfer, session.connection().transactions(), name);
            return;
        }
        boolean begins = !current.isOpen();
        current.frame(transfer, in, credit.isLeft(), session.connection().transactions());
        if (begins) {
            session.windows().deliveryBegins(current.id());
            outcomes.begins(current.id(), transfer, in);
            postingBegins();
        }
        if (transfer.aborted()) {
            incomplete.clear();
            OpenTransaction without = current.transaction();
            outcomes.ends(current.id());
            endCurrent();
            if (without != null) {
                without.postingEnded();
            }
        } else if (transfer.more()) {
            incomplete.append(in, end);
            return;
        } else {
            complete(to, in, end);
        }
        replenish();
    }

    /** From its first frame on, for a discharge may come between two of them. */
    private void postingBegins() {
        OpenTransaction transaction = current.transaction();
        if (transaction != null) {
            transaction.postingBegan();
        }
    }

    private void complete(PublishTarget to, ByteBuf in, int end) {
        long tag = current.publishTag();
        ErrorCondition error = current.error();
        OpenTransaction transaction = current.transaction();
        if (transaction != null) {
            postings.begin(current.id(), transaction);
            error = error == null && !to.takesPostings() ? Postings.noPosting(name) : error;
        }
        endCurrent();
        if (error != null) {
            incomplete.clear();
            reject(tag, error);
            return;
        }
        try {
            MessageHeader header = incomplete.isEmpty() ? headers.read(in, end) : null;
            to.publish(header, incomplete.complete(in, end), tag, this);
        } catch (AmqpException violation) {
            OpenTransaction without = postings.end(PublishTag.deliveryId(tag));
            if (without != null) {
                without.rollbackOnly(Postings.refused(violation.toErrorCondition()));
                without.postingEnded();
            }
            throw violation;
        }
    }

    private void endCurrent() {
        current.end();
        credit.used();
    }

    /** A message has to wait in the target until {@link #resumed}: it counts as not answered. */
    void postponed() {
        credit.answerPending();
    }

    void resumed() {
        credit.answered();
    }

    /** Called by the target once the message is built. */
    void publish(Message message, long tag, boolean acceptUnroutable) {
        OpenTransaction transaction = postings.end(PublishTag.deliveryId(tag));
        if (transaction != null) {
            post(transaction, message, tag, acceptUnroutable);
            return;
        }
        credit.answerPending();
        try {
            session.connection()
                    .publishGate()
                    .publish(message, acceptUnroutable ? PublishTag.acceptUnroutable(tag) : tag, this);
        } catch (BrokerException refused) {
            onPublished(tag, PublishResult.Refused.of(refused));
        }
    }

    /** The outcome of a posting is provisional: it counts with the commit (AMQP 1.0 part 4, 4.4.1). */
    private void post(OpenTransaction transaction, Message message, long tag, boolean acceptUnroutable) {
        PublishResult result = transaction.post(message);
        boolean isReleased = result instanceof PublishResult.Unroutable && !acceptUnroutable;
        if (result instanceof PublishResult.Refused refused && gone() == null) {
            answer(tag, transaction.state(rejected(AmqpErrors.of(refused))));
        } else if (isReleased || result instanceof PublishResult.Refused) {
            transaction.rollbackOnly(Postings.refused(unroutable()));
            answer(tag, transaction.state(Released.getInstance()));
            detachIfGone();
        } else {
            answer(tag, transaction.accepted());
        }
        transaction.postingEnded();
    }

    /** Answers a delivery, and settles it unless the sender is to do that. */
    void answer(long tag, DeliveryState state) {
        int id = PublishTag.deliveryId(tag);
        ErrorCondition refusal = outcomes.takes(id, state) ? null : outcomes.refusal(id, state, unroutable());
        if (!isAttached() || PublishTag.isSettled(tag)) {
            return;
        }
        if (refusal == null) {
            session.received().add(id, id, PublishTag.settles(tag), state);
        } else {
            session.flushDispositions();
            detach(true, refusal);
        }
    }

    /** As above, with a state that every source takes. */
    private void answer(long tag, byte[] accepted) {
        int id = PublishTag.deliveryId(tag);
        outcomes.ends(id);
        if (isAttached() && !PublishTag.isSettled(tag)) {
            session.received().add(id, id, PublishTag.settles(tag), accepted);
        }
    }

    private @Nullable ErrorCondition gone() {
        return target == null ? null : target.gone();
    }

    /** Why a message is released. */
    private ErrorCondition unroutable() {
        ErrorCondition gone = gone();
        return gone == null ? UNROUTABLE : gone;
    }

    /** The message cannot be taken, for a reason that concerns it alone. */
    void reject(long tag, ErrorCondition error) {
        OpenTransaction transaction = postings.end(PublishTag.deliveryId(tag));
        if (transaction != null) {
            transaction.rollbackOnly(Postings.refused(error));
            answer(tag, transaction.state(rejected(error)));
            transaction.postingEnded();
            return;
        }
        if (!isAttached()) {
            return;
        }
        if (PublishTag.isSettled(tag)) {
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

    @Override
    public void onPublished(long tag, PublishResult result) {
        credit.answered();
        AmqpConnection connection = session.connection();
        if (result instanceof PublishResult.Unknown unknown) {
            // Neither accepted nor rejected would be true, so the peer must find out by itself.
            connection.fail(AmqpException.connection(AmqpError.ILLEGAL_STATE, unknown.text()));
            return;
        }
        if (result instanceof PublishResult.Refused refused && gone() == null) {
            reject(tag, AmqpErrors.of(refused));
        } else {
            answer(tag, outcome(tag, result));
        }
        if (!(result instanceof PublishResult.Stored)) {
            detachIfGone();
        }
        replenish();
        connection.scheduleFlush();
    }

    /** A node that was deleted takes its links with it: the next message would fare no better. */
    private void detachIfGone() {
        ErrorCondition gone = isAttached() ? gone() : null;
        if (gone != null) {
            session.flushDispositions();
            detach(true, gone);
        }
    }

    /** [J-2]: Qpid JMS takes released for an error, and a topic without subscribers is none. */
    private static DeliveryState outcome(long tag, PublishResult result) {
        boolean accepted = result instanceof PublishResult.Stored || PublishTag.acceptsUnroutable(tag);
        return accepted ? Accepted.getInstance() : Released.getInstance();
    }

    /** Grants credit, if it is time. */
    void replenish() {
        PublishTarget to = target;
        if (isAttached() && to != null) {
            credit.replenish(to.creditMax());
        }
    }

    /** The rest of a message has not come, and others have no room for theirs. */
    private void lapsed() {
        if (!isAttached() || incomplete.isEmpty()) {
            return;
        }
        ErrorCondition error = new ErrorCondition(
                AmqpError.RESOURCE_LIMIT_EXCEEDED,
                "MS-0506 a message is incomplete for " + InputBudget.PATIENCE_SECONDS
                        + " s while others wait for room fix: send it again, or raise amqp.incomplete-bytes-max");
        session.connection().logRefusal("message", error);
        session.flushDispositions();
        detach(true, error);
        session.connection().scheduleFlush();
    }

    /** The broker has had no room for a while. */
    void tellBlocked() {
        if (isAttached()) {
            credit.tellBlocked();
        }
    }

    @Override
    void onFlow(FlowFrame flow) {
        if (flow.deliveryCount() >= 0 && !current.isOpen() && credit.advance((int) flow.deliveryCount())) {
            replenish();
        }
        if (flow.echo() && isAttached()) {
            credit.flow();
        }
    }

    @Override
    void onPeerDetach(boolean closed, boolean orderly) {
        super.onPeerDetach(closed, orderly);
        Runnable hook = onClosed;
        if (closed && hook != null) {
            onClosed = null;
            hook.run();
        }
    }

    @Override
    void keepSubscription(LinkKey itsKey, boolean orderly) {
        // Only what the peer receives from has any.
    }

    @Override
    void release(boolean orderly) {
        incomplete.clear();
        OpenTransaction half = current.transaction();
        if (half != null) {
            current.end();
            half.rollbackOnly(Postings.lostWith(name));
            half.postingEnded();
        }
        PublishTarget from = target;
        if (from != null) {
            from.released();
        }
    }
}
