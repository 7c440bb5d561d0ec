package io.mainstem.jms.failover;

import io.mainstem.jms.destination.DestinationKind;
import io.mainstem.jms.link.LinkConnection;
import io.mainstem.jms.link.TemporaryNode;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A temporary queue or topic that is made again on each new connection, with the same address: answers to requests from
 * before the loss still find it. What it held is gone. Thread: any.
 */
final class FailoverTemporary implements TemporaryNode {
    private static final Logger LOG = LoggerFactory.getLogger(FailoverTemporary.class);

    /** Together longer than a broker takes to end a connection that it has seen break. */
    private static final int TRIES_MAX = 40;

    private static final long PAUSE_MS = 50;

    private final FailoverConnection connection;
    private final DestinationKind kind;
    private final Attempts timer;
    private final String address;
    private volatile TemporaryNode current;
    private volatile boolean deleted;

    FailoverTemporary(FailoverConnection connection, DestinationKind kind, TemporaryNode first, Attempts timer) {
        this.connection = connection;
        this.kind = kind;
        this.timer = timer;
        this.address = first.address();
        this.current = first;
    }

    /** Makes it again; completes in any case, also if that cannot be done: then its consumers are refused. */
    CompletableFuture<@Nullable Void> renew(LinkConnection next) {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        attempt(next, 1, done);
        return done;
    }

    private void attempt(LinkConnection next, int number, CompletableFuture<@Nullable Void> done) {
        var unused = next.createTemporary(kind, address).whenComplete((made, failure) -> {
            if (deleted) {
                if (failure == null) {
                    var unusedDelete = made.delete();
                }
                done.complete(null);
            } else if (failure == null && made.address().equals(address)) {
                current = made;
                if (deleted) {
                    var unusedDelete = made.delete(); // In between: one of both sees the other.
                }
                done.complete(null);
            } else if (failure != null && number < TRIES_MAX && connection.isCurrent(next)) {
                // The broker may not have noticed yet that the former connection is gone.
                timer.later(() -> attempt(next, number + 1, done), PAUSE_MS);
            } else {
                if (failure == null) {
                    var unusedDelete = made.delete();
                }
                LOG.warn(
                        "MS-0730 a temporary destination is lost address={} cause={}",
                        address,
                        failure == null ? "the broker gives other addresses only" : failure.getMessage());
                done.complete(null);
            }
        });
    }

    @Override
    public String address() {
        return address;
    }

    @Override
    public CompletionStage<@Nullable Void> delete() {
        deleted = true;
        connection.forget(this);
        return current.delete();
    }
}
