package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.routing.Branch;
import io.mainstem.routing.BranchId;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Transaction;
import io.netty.util.concurrent.EventExecutor;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.transaction.TransactionErrors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open transactions of one connection by id (AMQP 1.0 part 4). They belong to the coordinator link they were
 * declared on; the links whose work they gather may be in any session of the connection.
 *
 * <p>Thread: the connection's event loop.
 */
final class Transactions {
    private static final Logger LOG = LoggerFactory.getLogger(Transactions.class);
    /** Transactions declared and not discharged; a client that declares more has forgotten the others. */
    private static final int OPEN_MAX = 1024;

    private static final int TIMED_OUT_KEPT = 64;

    private final BrokerSession broker;
    private final EventExecutor eventLoop;
    private final int timeoutMs;
    private final Map<Long, OpenTransaction> open = new HashMap<>();
    /** Discharged, and not over. */
    private final Set<OpenTransaction> ending = new HashSet<>();

    private final ArrayDeque<Long> timedOut = new ArrayDeque<>();
    private long nextId = 1;

    /** @param timeoutMs from the first work of a transaction to its discharge, 0 = any time */
    Transactions(BrokerSession broker, EventExecutor eventLoop, int timeoutMs) {
        this.broker = broker;
        this.eventLoop = eventLoop;
        this.timeoutMs = timeoutMs;
    }

    /**
     * Begins one.
     *
     * @param globalId its name if it is a branch of a distributed transaction, or null
     * @param onExpiry told if it is not discharged in time
     */
    OpenTransaction declare(@Nullable BranchId globalId, Consumer<OpenTransaction> onExpiry) {
        if (open.size() >= OPEN_MAX) {
            throw new BrokerException(
                    ErrorKind.RESOURCE_LIMIT,
                    "MS-0532",
                    "the connection has " + OPEN_MAX + " transactions that are not discharged.",
                    "discharge them.");
        }
        Branch branch = globalId == null ? null : broker.begin(globalId);
        Transaction begun = branch == null ? broker.begin() : branch;
        long number = nextId++;
        Binary id = new Binary(ByteBuffer.allocate(Long.BYTES).putLong(number).array());
        OpenTransaction transaction = new OpenTransaction(id, begun, branch, () -> startTimer(number, onExpiry));
        open.put(number, transaction);
        return transaction;
    }

    private @Nullable Future<?> startTimer(long number, Consumer<OpenTransaction> onExpiry) {
        return timeoutMs > 0
                ? eventLoop.schedule(() -> expire(number, onExpiry), timeoutMs, TimeUnit.MILLISECONDS)
                : null;
    }

    private void expire(long number, Consumer<OpenTransaction> onExpiry) {
        OpenTransaction late = open.remove(number);
        if (late == null) {
            return;
        }
        onExpiry.accept(late);
        timedOut.add(number);
        if (timedOut.size() > TIMED_OUT_KEPT) {
            timedOut.remove();
        }
        LOG.warn("MS-0533 transaction rolled back: not discharged within {} ms id={}", timeoutMs, number);
        var unused = late.end(OpenTransaction.End.ROLLBACK);
        broker.flush();
    }

    /**
     * The open transaction of this id.
     *
     * @throws AmqpException for a link, if there is none
     */
    OpenTransaction find(@Nullable Binary id) {
        OpenTransaction found = open.get(number(id));
        if (found == null) {
            throw none(id);
        }
        return found;
    }

    /** As {@link #find}; nothing more can be done in it from now on. */
    OpenTransaction take(@Nullable Binary id) {
        OpenTransaction found = find(id);
        open.remove(number(id));
        return found;
    }

    /** Ends one that was {@linkplain #take taken}. */
    CompletionStage<@Nullable Void> end(OpenTransaction taken, OpenTransaction.End how) {
        ending.add(taken);
        return taken.end(how).whenComplete((done, failure) -> ending.remove(taken));
    }

    /** The connection is gone. */
    void close() {
        open.values().forEach(OpenTransaction::lost);
        ending.forEach(OpenTransaction::lost);
    }

    private AmqpException none(@Nullable Binary id) {
        boolean late = timedOut.contains(number(id));
        Symbol condition = late ? TransactionErrors.TRANSACTION_TIMEOUT : TransactionErrors.UNKNOWN_ID;
        String why = late ? "was rolled back: it was not discharged within " + timeoutMs + " ms" : "is not open";
        return AmqpException.link(condition, "MS-0531 transaction " + id + " of this connection " + why);
    }

    private static long number(@Nullable Binary id) {
        return id == null || id.getLength() != Long.BYTES
                ? 0
                : id.asByteBuffer().getLong();
    }

    /** The session that all of them belong to. */
    BrokerSession broker() {
        return broker;
    }

    /** Undoes it if it is still open: its coordinator has gone. */
    void abandon(OpenTransaction transaction) {
        if (open.remove(number(transaction.id()), transaction)) {
            var unused = transaction.end(OpenTransaction.End.ROLLBACK);
        }
    }
}
