package io.mainstem.routing.queue;

import io.mainstem.routing.Branch;
import io.mainstem.routing.BranchId;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ConsumerHandle;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.message.Message;
import io.mainstem.store.Frame;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The event loop's end of a transaction: keeps the messages until the commit, and sends settlements on to its
 * {@link TransactionWork}. Thread: the session's event loop.
 */
final class SessionTransaction implements Branch {
    /** Of what one record group may list; settlements take their share beside it. */
    private static final long LISTING_BYTES_MAX = 2 << 20;

    private final ShardSession session;
    private final TransactionBudget budget;
    private final TransactionWork work;
    private final @Nullable BranchId branch;
    private final List<TransactionSend> sends = new ArrayList<>();
    private long bytes;
    private long listingBytes;
    /** What the event loop cannot put into a group by itself: messages in memory, or with a publish id. */
    private boolean needsShard;
    /** The shard knows of it. */
    private boolean joined;

    private boolean ended;
    private @Nullable BrokerException rollbackOnly;

    /** @param branch its name, which this claimed, or null if it is a local transaction */
    SessionTransaction(ShardSession session, @Nullable BranchId branch) {
        this.session = session;
        this.branch = branch;
        this.budget = session.shard().transactionBudget();
        this.work = new TransactionWork(session.shard(), session.peer());
    }

    @Override
    public PublishResult publish(Message message) {
        checkOpen();
        try {
            Destinations destinations = session.publishing().destinations(message);
            if (destinations.nowhere()) {
                return new PublishResult.Unroutable();
            }
            Frame frame =
                    PublishFrame.needed(message, destinations) ? PublishFrame.checked(message, destinations) : null;
            keep(new TransactionSend(message, destinations, frame));
            return new PublishResult.Stored(destinations.count());
        } catch (BrokerException refused) {
            rollbackOnly(refused);
            return PublishResult.Refused.of(refused);
        }
    }

    private void keep(TransactionSend send) {
        if (rollbackOnly != null) {
            return; // The room for it would not be given back: it is never needed.
        }
        listingBytes += send.listingBytes();
        if (listingBytes > LISTING_BYTES_MAX || !budget.take(bytes, send.bytes())) {
            throw new BrokerException(
                    ErrorKind.RESOURCE_LIMIT,
                    "MS-0361",
                    "the transaction has no room for one more message: it holds " + sends.size() + " of " + bytes
                            + " bytes (" + budget.limits() + ", " + LISTING_BYTES_MAX + " bytes of headers).",
                    "commit more often.");
        }
        bytes += send.bytes();
        Destinations to = send.destinations();
        needsShard |= to.anyInMemory() || to.limited() || send.message().publishId() != null;
        sends.add(send);
    }

    @Override
    public void settle(ConsumerHandle consumer, long first, long last, Outcome outcome, boolean settled) {
        checkOpen();
        if (!(consumer instanceof ConsumerLink link)) {
            throw new IllegalArgumentException("consumer: " + consumer + " (expected: one of the same session)");
        }
        Consumer target = link.openTarget(session);
        if (target == null) {
            rollbackOnly(TransactionWork.notUnsettled(first, last, "the consumer is closed"));
            return;
        }
        join();
        session.collect(() -> work.settle(target, first, last, outcome, settled));
    }

    private void join() {
        if (!joined) {
            joined = true;
            session.collect(work::join);
        }
    }

    @Override
    public void rollbackOnly(BrokerException why) {
        if (rollbackOnly == null) {
            rollbackOnly = why;
            // Nothing of it will be needed; the room is for others.
            forgetSends();
        }
    }

    @Override
    public CompletionStage<@Nullable Void> commit() {
        end();
        BrokerException why = rollbackOnly;
        if (why != null) {
            return undo(TransactionWork.rolledBack(why));
        }
        CompletableFuture<@Nullable Void> future = new CompletableFuture<>();
        if (!joined && sends.isEmpty()) {
            future.complete(null);
            return future;
        }
        Reply<@Nullable Void> reply = new Reply<>(session.peer().outbox(), future);
        TransactionSends content = new TransactionSends(List.copyOf(sends), bytes, budget);
        if (joined || needsShard) {
            session.viaShard(future, () -> work.commit(content, reply));
        } else {
            submit(content, reply);
        }
        return future;
    }

    /** Nothing but sends: straight to the log. */
    private void submit(TransactionSends content, Reply<@Nullable Void> reply) {
        try {
            List<Frame> frames = content.frames();
            session.shard().store().requireWritable(frames);
            TransactionCommit.Parts parts =
                    new TransactionCommit.Parts(content, new CommitOutcomes(session.shard()), PublishClaims.NONE);
            session.publishing().submit(new TransactionCommit(session.shard().store(), work, frames, parts, reply));
        } catch (IllegalArgumentException tooLarge) {
            session.collect(() -> work.refuseTooLarge(tooLarge, content, reply));
        }
    }

    @Override
    public CompletionStage<@Nullable Void> prepare() {
        BranchId id = branch;
        if (id == null) {
            throw new IllegalStateException("transaction: is a local one (expected: a branch)");
        }
        checkOpen();
        ended = true;
        session.ended(this);
        BrokerException why = rollbackOnly;
        if (why != null) {
            release();
            return undo(TransactionWork.rolledBack(why));
        }
        CompletableFuture<@Nullable Void> future = new CompletableFuture<>();
        Reply<@Nullable Void> reply = new Reply<>(session.peer().outbox(), future);
        TransactionSends content = new TransactionSends(List.copyOf(sends), bytes, budget);
        BranchUser by = session.branchUser();
        session.viaShard(future, () -> session.shard().branches().prepare(by, id, work, content, reply));
        return future;
    }

    @Override
    public CompletionStage<@Nullable Void> rollback() {
        end();
        forgetSends();
        return undo(null);
    }

    /** The name may be used again. */
    private void release() {
        BranchId id = branch;
        if (id != null) {
            session.shard().branches().release(session.virtualHost(), id);
        }
    }

    /** @param failure what the answer is once it is undone; null = success */
    private CompletionStage<@Nullable Void> undo(@Nullable BrokerException failure) {
        CompletableFuture<@Nullable Void> future = new CompletableFuture<>();
        if (!joined) {
            if (failure == null) {
                future.complete(null);
            } else {
                future.completeExceptionally(failure);
            }
            return future;
        }
        Reply<@Nullable Void> reply = new Reply<>(session.peer().outbox(), future);
        session.collect(() -> {
            work.rollback(() -> {
                if (failure == null) {
                    reply.done();
                } else {
                    reply.refused(failure);
                }
            });
        });
        return future;
    }

    /** The session is gone, and what the shard knows is rolled back there. */
    void sessionClosed() {
        if (!ended) {
            ended = true;
            release();
            forgetSends();
        }
    }

    private void forgetSends() {
        budget.giveBack(bytes);
        bytes = 0;
        listingBytes = 0;
        sends.clear();
    }

    private void end() {
        checkOpen();
        ended = true;
        release();
        session.ended(this);
    }

    private void checkOpen() {
        if (ended) {
            throw new IllegalStateException("transaction: has ended (expected: open)");
        }
    }
}
