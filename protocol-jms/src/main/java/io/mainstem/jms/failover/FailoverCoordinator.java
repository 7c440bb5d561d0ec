package io.mainstem.jms.failover;

import io.mainstem.jms.link.BranchExistsException;
import io.mainstem.jms.link.Coordinator;
import io.mainstem.jms.link.LinkSession;
import io.mainstem.jms.link.TransactionId;
import io.mainstem.jms.link.UnknownBranchException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Transactions of the connection of the moment; prepared branches are those of all connections. */
final class FailoverCoordinator implements Coordinator {
    /** Together longer than a broker takes to end a connection that it has seen break. */
    private static final int DECLARES_MAX = 40;

    private static final long PAUSE_MS = 50;

    private final Renewed<LinkSession> session;
    private final Attempts timer;

    FailoverCoordinator(Renewed<LinkSession> session, Attempts timer) {
        this.session = session;
        this.timer = timer;
    }

    @Override
    public CompletionStage<TransactionId> declare(byte @Nullable [] globalId) {
        AtomicInteger times = new AtomicInteger();
        return session.call(open -> {
            long generation = session.generation();
            boolean first = times.getAndIncrement() == 0;
            CompletableFuture<TransactionId> begun = new CompletableFuture<>();
            declare(open, globalId, first ? 1 : DECLARES_MAX, begun);
            return begun.thenApply(id -> new FailoverTransaction(id, generation, session::generation));
        });
    }

    /** The name may be in use by a request whose answer was lost, until the broker has noticed that its connection is gone. */
    private void declare(
            LinkSession open, byte @Nullable [] globalId, int timesLeft, CompletableFuture<TransactionId> begun) {
        var unused = open.coordinator().declare(globalId).whenComplete((id, failure) -> {
            if (failure == null) {
                begun.complete(id);
            } else if (timesLeft > 1
                    && Attempts.unwrapped(failure) instanceof BranchExistsException
                    && session.current() == open) {
                timer.later(() -> declare(open, globalId, timesLeft - 1, begun), PAUSE_MS);
            } else {
                begun.completeExceptionally(Attempts.unwrapped(failure));
            }
        });
    }

    @Override
    public CompletionStage<@Nullable Void> discharge(TransactionId transaction, boolean fail) {
        FailoverTransaction own = (FailoverTransaction) transaction;
        LinkSession open = session.current();
        if (own.isOver() || open == null) {
            // The broker has undone it with the connection.
            return fail
                    ? CompletableFuture.completedFuture(null)
                    : CompletableFuture.failedFuture(FailoverTransaction.over());
        }
        CompletionStage<@Nullable Void> ended = open.coordinator().discharge(own.id(), fail);
        return fail ? ended.exceptionally(failure -> undone(own, failure)) : ended;
    }

    /** A loss while it is rolled back does the same. */
    private static @Nullable Void undone(FailoverTransaction transaction, Throwable failure) {
        if (transaction.isOver()) {
            return null;
        }
        throw new CompletionException(Attempts.unwrapped(failure));
    }

    @Override
    public boolean rollsBackWhatItRefuses() {
        LinkSession open = session.current();
        return open != null && open.coordinator().rollsBackWhatItRefuses();
    }

    @Override
    public void flush() {
        LinkSession open = session.current();
        if (open != null) {
            open.coordinator().flush();
        }
    }

    @Override
    public CompletionStage<@Nullable Void> prepare(TransactionId transaction) {
        FailoverTransaction own = (FailoverTransaction) transaction;
        LinkSession open = session.current();
        return own.isOver() || open == null
                ? CompletableFuture.failedFuture(FailoverTransaction.over())
                : open.coordinator().prepare(own.id());
    }

    @Override
    public CompletionStage<@Nullable Void> decide(byte[] globalId, boolean commit) {
        return again(coordinator -> coordinator.decide(globalId, commit));
    }

    @Override
    public CompletionStage<@Nullable Void> forget(byte[] globalId) {
        return again(coordinator -> coordinator.forget(globalId));
    }

    /**
     * A branch that is not there when the request is made for the second time was ended by the first, whose answer was
     * lost with its connection.
     */
    private CompletionStage<@Nullable Void> again(Function<Coordinator, CompletionStage<@Nullable Void>> request) {
        AtomicInteger times = new AtomicInteger();
        return session.call(open -> {
            boolean first = times.getAndIncrement() == 0;
            return request.apply(open.coordinator()).exceptionally(failure -> {
                if (!first && Attempts.unwrapped(failure) instanceof UnknownBranchException) {
                    return null;
                }
                throw new CompletionException(Attempts.unwrapped(failure));
            });
        });
    }

    @Override
    public CompletionStage<List<byte[]>> prepared() {
        return session.call(open -> open.coordinator().prepared());
    }
}
