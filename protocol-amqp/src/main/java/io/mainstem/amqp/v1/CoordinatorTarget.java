package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.OpenTransaction.End;
import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.message.MessageHeader;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.transaction.Declared;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.jspecify.annotations.Nullable;

/**
 * The transaction coordinator: begins and ends transactions (AMQP 1.0 part 4, 4.3 to 4.5). A declare may come while an
 * earlier discharge is still on its way to the disk.
 *
 * <p>Thread: the connection's event loop.
 */
final class CoordinatorTarget implements PublishTarget {
    private final Transactions transactions;
    private final BranchRequests branches;
    private final Set<OpenTransaction> declared = new LinkedHashSet<>();

    CoordinatorTarget(Transactions transactions) {
        this.transactions = transactions;
        this.branches = new BranchRequests(this, transactions.broker());
    }

    @Override
    public void publish(@Nullable MessageHeader header, List<byte[]> payload, long tag, InboundLink link) {
        try {
            CoordinatorMessage request = CoordinatorMessage.of(payload);
            if (request instanceof CoordinatorMessage.Declare declare) {
                declare(declare, tag, link);
            } else if (request instanceof CoordinatorMessage.Discharge discharge) {
                end(discharge.txnId(), discharge.fail() ? End.ROLLBACK : End.COMMIT, tag, link);
            } else if (request instanceof CoordinatorMessage.Prepare prepare) {
                end(prepare.txnId(), End.PREPARE, tag, link);
            } else {
                branches.request(request, tag, link);
            }
        } catch (AmqpException | BrokerException refused) {
            refuse(refused, tag, link);
        }
    }

    private void declare(CoordinatorMessage.Declare declare, long tag, InboundLink link) {
        byte[] globalId = declare.globalId();
        OpenTransaction transaction =
                transactions.declare(globalId == null ? null : BranchRequests.id(globalId), declared::remove);
        declared.add(transaction);
        Declared answer = new Declared();
        answer.setTxnId(transaction.id());
        link.answer(tag, answer);
    }

    private void end(byte[] txnId, End how, long tag, InboundLink link) {
        Binary id = new Binary(txnId);
        if (how == End.PREPARE && !transactions.find(id).isBranch()) {
            throw AmqpException.link(
                    AmqpError.NOT_ALLOWED,
                    "MS-0536 transaction " + id + " was declared without global-id and cannot be prepared");
        }
        OpenTransaction transaction = transactions.take(id);
        declared.remove(transaction);
        answer(transactions.end(transaction, how), tag, link);
    }

    /** Answers when the stage is done: accepted, or why not. */
    void answer(CompletionStage<@Nullable Void> stage, long tag, InboundLink link) {
        answer(stage.thenApply(done -> Accepted.getInstance()), (outcome, to) -> to.answer(tag, outcome), tag, link);
    }

    <T> void answer(CompletionStage<T> stage, BiConsumer<T, InboundLink> done, long tag, InboundLink link) {
        link.postponed();
        stage.whenComplete((result, failure) -> {
            link.resumed();
            if (failure == null) {
                done.accept(result, link);
            } else {
                refuse(failure, tag, link);
            }
            link.replenish();
            link.session.connection().scheduleFlush();
        });
    }

    void refuse(Throwable failure, long tag, InboundLink link) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof BrokerException broken && broken.kind() == ErrorKind.UNAVAILABLE) {
            // Neither committed nor rolled back would be true, so the peer must find out by itself.
            link.session
                    .connection()
                    .fail(AmqpException.connection(AmqpError.ILLEGAL_STATE, String.valueOf(broken.getMessage())));
            return;
        }
        link.reject(tag, AmqpErrors.of(cause));
    }

    @Override
    public boolean takesPostings() {
        return false;
    }

    /** Coordinator gone: what it declared and did not discharge is undone. */
    @Override
    public void released() {
        declared.forEach(transactions::abandon);
        declared.clear();
    }
}
