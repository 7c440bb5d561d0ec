package io.mainstem.jms.failover;

import io.mainstem.jms.link.Coordinator;
import io.mainstem.jms.link.LinkSession;
import io.mainstem.jms.link.TransactionId;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Transactions of the connection of the moment; prepared branches are those of all connections. */
final class FailoverCoordinator implements Coordinator {
    private final Renewed<LinkSession> session;

    FailoverCoordinator(Renewed<LinkSession> session) {
        this.session = session;
    }

    @Override
    public CompletionStage<TransactionId> declare(byte @Nullable [] globalId) {
        return session.call(open -> {
            long generation = session.generation();
            return open.coordinator()
                    .declare(globalId)
                    .thenApply(id -> new FailoverTransaction(id, generation, session::generation));
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
        return open.coordinator().discharge(own.id(), fail);
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
        return session.call(open -> open.coordinator().decide(globalId, commit));
    }

    @Override
    public CompletionStage<@Nullable Void> forget(byte[] globalId) {
        return session.call(open -> open.coordinator().forget(globalId));
    }

    @Override
    public CompletionStage<List<byte[]>> prepared() {
        return session.call(open -> open.coordinator().prepared());
    }
}
