package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.routing.BranchId;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ErrorKind;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.transaction.Declared;
import org.apache.qpid.proton.amqp.transaction.TransactionErrors;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.jspecify.annotations.Nullable;

/**
 * Requests to the coordinator about prepared branches, by global id: they may come over any connection (our use of the
 * standard's field, docs/protocols/amqp-1.0.md). Thread: the connection's event loop.
 */
final class BranchRequests {
    private final CoordinatorTarget coordinator;
    private final BrokerSession broker;

    BranchRequests(CoordinatorTarget coordinator, BrokerSession broker) {
        this.coordinator = coordinator;
        this.broker = broker;
    }

    /** @throws AmqpException for the link, if it cannot be one */
    static BranchId id(byte[] globalId) {
        try {
            return BranchId.of(globalId);
        } catch (IllegalArgumentException wrongLength) {
            throw AmqpException.link(AmqpError.INVALID_FIELD, "MS-0536 global-id: " + wrongLength.getMessage());
        }
    }

    void request(CoordinatorMessage request, long tag, InboundLink link) {
        if (request instanceof CoordinatorMessage.Decide decide) {
            coordinator.answer(byName(decide(decide)), tag, link);
        } else if (request instanceof CoordinatorMessage.Recover recover) {
            BranchId after = recover.after() == null ? null : id(recover.after());
            coordinator.answer(broker.preparedBranches(), (found, to) -> recovered(found, after, tag, to), tag, link);
        } else if (request instanceof CoordinatorMessage.Forget forget) {
            coordinator.answer(byName(broker.forgetBranch(id(forget.globalId()))), tag, link);
        }
    }

    private CompletionStage<@Nullable Void> decide(CoordinatorMessage.Decide decide) {
        BranchId id = id(decide.globalId());
        if (decide.heuristic()) {
            return broker.decideHeuristically(id, decide.commit());
        }
        return decide.commit() ? broker.commitPrepared(id) : broker.rollbackPrepared(id);
    }

    /** A name that is not known has its own condition in the standard. */
    private static CompletionStage<@Nullable Void> byName(CompletionStage<@Nullable Void> decided) {
        return decided.handle((done, failure) -> {
            Throwable cause =
                    failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
            if (cause instanceof BrokerException refusal && refusal.kind() == ErrorKind.NOT_FOUND) {
                throw AmqpException.link(TransactionErrors.UNKNOWN_ID, String.valueOf(refusal.getMessage()));
            }
            if (cause instanceof RuntimeException other) {
                throw other;
            }
            return null;
        });
    }

    private static void recovered(List<BranchId> found, @Nullable BranchId after, long tag, InboundLink link) {
        for (BranchId id : found) {
            if (after == null || id.compareTo(after) > 0) {
                Declared next = new Declared();
                next.setTxnId(new Binary(id.bytes()));
                link.answer(tag, next);
                return;
            }
        }
        link.answer(tag, Accepted.getInstance());
    }
}
