package io.mainstem.jms.failover;

import io.mainstem.jms.destination.MainstemDestination;
import io.mainstem.jms.link.LinkSession;
import io.mainstem.jms.link.SenderLink;
import io.mainstem.jms.link.TransactionId;
import io.mainstem.jms.message.EncodedMessage;
import jakarta.jms.JMSException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A sender that sends again what a lost connection has left without an answer, in the order of the first time. The broker
 * tells by the numbers of the messages which of them it has already.
 */
final class FailoverSender implements SenderLink {
    /** Of what has not left yet. */
    private static final long NEVER = -1;

    private final FailoverSession session;
    private final @Nullable MainstemDestination target;
    private final Set<Sending> unanswered = new LinkedHashSet<>();
    private @Nullable SenderLink link;
    private @Nullable JMSException end;
    private long generation;

    /** A message on its way. Compared by identity. */
    private static final class Sending {
        private final EncodedMessage message;
        private final @Nullable FailoverTransaction transaction;
        private final CompletableFuture<@Nullable Void> outcome = new CompletableFuture<>();
        /** It has left, or is about to, over the link after so many losses. */
        private long generation = NEVER;
        /** It may leave with what is said next. */
        private final boolean later;

        Sending(EncodedMessage message, @Nullable FailoverTransaction transaction, boolean later) {
            this.message = message;
            this.transaction = transaction;
            this.later = later;
        }
    }

    FailoverSender(FailoverSession session, @Nullable MainstemDestination target) {
        this.session = session;
        this.target = target;
    }

    /** The first link. */
    void attached(SenderLink first) {
        attached(first, generation());
    }

    /**
     * What waits goes first, in its order: as long as there is something of it, what is sent now waits behind it.
     *
     * @param begun the link is of that connection: if it is lost already, the next one follows
     */
    private void attached(SenderLink next, long begun) {
        for (List<Sending> first = takeWaiting(next, begun); !first.isEmpty(); first = takeWaiting(next, begun)) {
            first.forEach(sending -> send(next, sending, begun));
        }
    }

    /** What is to be sent before the link can be used; if nothing, it is. */
    private List<Sending> takeWaiting(SenderLink next, long begun) {
        List<Sending> waiting = new ArrayList<>();
        int inDoubt = 0;
        synchronized (this) {
            if (generation != begun || end != null) {
                return List.of();
            }
            for (Sending sending : unanswered) {
                if (sending.generation != begun) {
                    inDoubt += sending.generation == NEVER ? 0 : 1;
                    sending.generation = begun;
                    waiting.add(sending);
                }
            }
            link = waiting.isEmpty() ? next : null;
        }
        session.resending(inDoubt);
        return waiting;
    }

    void lost() {
        List<Sending> over = new ArrayList<>();
        synchronized (this) {
            link = null;
            generation++;
            for (Sending sending : unanswered) {
                if (sending.transaction != null) {
                    over.add(sending);
                }
            }
            over.forEach(unanswered::remove);
        }
        over.forEach(sending -> sending.outcome.completeExceptionally(FailoverTransaction.over()));
    }

    void renew(LinkSession next) {
        long begun = generation();
        var unused = next.attachSender(target).whenComplete((attached, failure) -> {
            if (failure == null) {
                attached(attached, begun);
            } else if (generation() == begun) {
                ended(Attempts.asJms(failure));
            }
        });
    }

    private synchronized long generation() {
        return generation;
    }

    void ended(JMSException reason) {
        List<Sending> failed;
        synchronized (this) {
            link = null;
            end = end == null ? reason : end;
            failed = List.copyOf(unanswered);
            unanswered.clear();
        }
        failed.forEach(sending -> sending.outcome.completeExceptionally(reason));
    }

    @Override
    public CompletionStage<@Nullable Void> send(EncodedMessage message, @Nullable TransactionId transaction) {
        return send(new Sending(message, (FailoverTransaction) transaction, false));
    }

    @Override
    public CompletionStage<@Nullable Void> sendLater(EncodedMessage message, TransactionId transaction) {
        return send(new Sending(message, (FailoverTransaction) transaction, true));
    }

    @Override
    public void flush() {
        SenderLink current;
        synchronized (this) {
            current = link;
        }
        if (current != null) {
            current.flush();
        }
    }

    private CompletionStage<@Nullable Void> send(Sending sending) {
        FailoverTransaction own = sending.transaction;
        SenderLink current;
        JMSException reason;
        long begun;
        synchronized (this) {
            current = link;
            begun = generation;
            // One that is not over waits like any other message until the link is there again.
            reason = own != null && own.isOver() ? FailoverTransaction.over() : end;
            if (reason == null) {
                unanswered.add(sending);
                sending.generation = current == null ? NEVER : begun;
            }
        }
        if (reason != null) {
            sending.outcome.completeExceptionally(reason);
        } else if (current != null) {
            send(current, sending, begun);
        }
        return sending.outcome;
    }

    private void send(SenderLink current, Sending sending, long begun) {
        FailoverTransaction transaction = sending.transaction;
        CompletionStage<@Nullable Void> outcome = transaction != null && sending.later
                ? current.sendLater(sending.message, transaction.id())
                : current.send(sending.message, transaction == null ? null : transaction.id());
        var unused = outcome.whenComplete((done, failure) -> {
            if (failure != null && generation() != begun) {
                return; // Sent again over the next connection, or told by lost().
            }
            synchronized (this) {
                unanswered.remove(sending);
            }
            if (failure == null) {
                sending.outcome.complete(null);
            } else {
                sending.outcome.completeExceptionally(Attempts.unwrapped(failure));
            }
        });
    }

    @Override
    public CompletionStage<@Nullable Void> close() {
        session.forget(this);
        SenderLink current;
        synchronized (this) {
            current = link;
        }
        CompletionStage<@Nullable Void> closed =
                current == null ? CompletableFuture.completedFuture(null) : current.close();
        // Nobody sends again what a loss leaves behind from now on.
        return closed.whenComplete((done, failure) ->
                ended(new JMSException("MS-0704 the producer is closed; fix: create another one", "MS-0704")));
    }
}
