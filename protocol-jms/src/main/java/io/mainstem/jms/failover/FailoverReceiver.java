package io.mainstem.jms.failover;

import io.mainstem.jms.link.DeliveryListener;
import io.mainstem.jms.link.LinkDelivery;
import io.mainstem.jms.link.LinkSession;
import io.mainstem.jms.link.Outcome;
import io.mainstem.jms.link.ReceiverLink;
import io.mainstem.jms.link.ReceiverRequest;
import io.mainstem.jms.link.TransactionId;
import jakarta.jms.JMSException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A receiver that is attached again; what it had delivered and not settled comes again by the broker's will. */
final class FailoverReceiver implements ReceiverLink {
    private final FailoverSession session;
    private final ReceiverRequest request;
    private final DeliveryListener listener;
    private volatile @Nullable ReceiverLink link;
    private volatile boolean closed;
    /** Whether closing it ends the subscription behind it. */
    private volatile boolean ends;

    private volatile long generation;

    FailoverReceiver(FailoverSession session, ReceiverRequest request, DeliveryListener listener) {
        this.session = session;
        this.request = request;
        this.listener = listener;
    }

    /** Keeps from the listener that its link ended with the connection of this session: another one follows. */
    DeliveryListener guarded(DeliveryListener behind, LinkSession in) {
        return new DeliveryListener() {
            @Override
            public void delivered(LinkDelivery delivery) {
                behind.delivered(delivery);
            }

            @Override
            public void detached(JMSException reason) {
                if (session.isCurrent(in)) {
                    behind.detached(reason);
                }
            }

            @Override
            public void interrupted() {
                behind.interrupted();
            }

            @Override
            public void reattached() {
                behind.reattached();
            }
        };
    }

    void attached(ReceiverLink next) {
        link = next;
    }

    void lost() {
        synchronized (this) {
            generation++;
            link = null;
        }
        listener.interrupted();
    }

    void renew(LinkSession next) {
        long begun = generation;
        var unused = next.attachReceiver(request, guarded(listener, next)).whenComplete((attached, failure) -> {
            if (failure == null) {
                attached(attached);
                if (closed) {
                    var unusedClose = attached.close(ends);
                } else {
                    listener.reattached();
                }
            } else if (generation == begun) {
                listener.detached(Attempts.asJms(failure));
            }
        });
    }

    void ended(JMSException reason) {
        link = null;
        if (!closed) {
            listener.detached(reason);
        }
    }

    @Override
    public void addCredit(int messages) {
        ReceiverLink current = link;
        if (current != null) {
            current.addCredit(messages);
        }
    }

    @Override
    public CompletionStage<@Nullable Void> drain() {
        ReceiverLink current = link;
        if (current == null) {
            return CompletableFuture.completedFuture(null);
        }
        long begun = generation;
        CompletableFuture<@Nullable Void> drained = new CompletableFuture<>();
        var unused = current.drain().whenComplete((done, failure) -> {
            if (failure == null || generation != begun) {
                drained.complete(null);
            } else {
                drained.completeExceptionally(Attempts.unwrapped(failure));
            }
        });
        return drained;
    }

    @Override
    public void settle(LinkDelivery delivery, Outcome outcome, @Nullable TransactionId transaction) {
        ReceiverLink current = link;
        FailoverTransaction own = (FailoverTransaction) transaction;
        if (current != null && (own == null || !own.isOver())) {
            current.settle(delivery, outcome, own == null ? null : own.id());
        }
    }

    @Override
    public CompletionStage<@Nullable Void> close(boolean end) {
        ends = end;
        closed = true;
        session.forget(this);
        ReceiverLink current = link;
        return current == null ? CompletableFuture.completedFuture(null) : current.close(end);
    }
}
