package io.mainstem.jms;

import io.mainstem.jms.destination.MainstemDestination;
import io.mainstem.jms.link.SenderLink;
import io.mainstem.jms.link.TransactionId;
import io.mainstem.jms.message.EncodedMessage;
import io.mainstem.jms.message.SendHeaders;
import io.mainstem.jms.message.SendHeaders.ProducerSequence;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A producer's way to the broker: headers, freezing, and how much may be under way without an answer. Thread: that of the
 * session; outcomes come on the transport's; {@link #awaitOutcomes} from any.
 */
final class Outbox {
    /** Bytes under way, in units of 1 KiB: a send beyond that waits. */
    private static final int WINDOW_KIB = 8 << 10;
    /** So much of a transaction may gather before it leaves. */
    private static final int GATHERED_KIB = 64;

    private final MainstemSession session;
    private final SenderLink link;
    private final String producerId;
    private final boolean numbered;
    private final Semaphore window = new Semaphore(WINDOW_KIB);
    private long sequence;
    private int gatheredKib;
    private volatile boolean abandoned;

    /** What the producer's setters say about a send. */
    record Manner(
            int deliveryMode,
            int priority,
            long timeToLiveMs,
            long delayMs,
            boolean withoutId,
            boolean withoutTimestamp) {}

    Outbox(MainstemSession session, SenderLink link) {
        this.session = session;
        this.link = link;
        this.producerId = session.connection().id() + ':' + session.connection().nextNumber();
        this.numbered = session.connection().options().failover() != null
                && session.connection().options().delivery().dedup();
    }

    /**
     * Sends the message as it is now, after setting its headers.
     *
     * @param awaited somebody waits for the outcome before the transaction, if there is one, ends
     * @return its outcome
     * @throws JMSException it cannot be encoded, or there is no room for it in time
     */
    CompletionStage<@Nullable Void> send(
            @Nullable Message message, MainstemDestination destination, Manner manner, Work work, boolean awaited)
            throws JMSException {
        long now = System.currentTimeMillis();
        long number = sequence++;
        // What is sent in a transaction is not sent again: it is undone with its connection.
        boolean transacted = work.active();
        SendHeaders headers = new SendHeaders(
                destination,
                manner.deliveryMode(),
                manner.priority(),
                manner.withoutTimestamp() ? 0 : now,
                manner.withoutId() ? null : "ID:" + producerId + ':' + number,
                manner.timeToLiveMs(),
                manner.timeToLiveMs() == 0 ? 0 : after(now, manner.timeToLiveMs()),
                after(now, manner.delayMs()),
                manner.delayMs() > 0,
                numbered && !transacted ? new ProducerSequence(producerId, number) : null);
        EncodedMessage encoded = session.connection().messages().freeze(message, headers);
        int kib = Math.min(WINDOW_KIB, 1 + encoded.bytes() / 1024);
        acquire(kib);
        CompletionStage<@Nullable Void> outcome = null;
        try {
            TransactionId transaction = transacted ? work.join() : null;
            if (transaction != null && !awaited && work.gathers() && gathers(kib)) {
                outcome = link.sendLater(encoded, transaction);
            } else {
                outcome = link.send(encoded, transaction);
            }
            if (transaction != null) {
                work.sent(outcome);
            }
            return outcome;
        } finally {
            if (outcome == null) {
                window.release(kib);
            } else {
                var unused = outcome.whenComplete((done, failed) -> {
                    window.release(kib);
                    session.connection().counters().outcome(failed == null);
                });
            }
        }
    }

    /** The longest times that can be asked for do not come round into the past. */
    private static long after(long now, long ms) {
        return Math.min(now, Long.MAX_VALUE - ms) + ms;
    }

    private boolean gathers(int kib) {
        gatheredKib += kib;
        if (gatheredKib < GATHERED_KIB) {
            return true;
        }
        gatheredKib = 0;
        return false;
    }

    /** Tells the exception listener of a failed send that nobody waits for. */
    void reportFailure(CompletionStage<@Nullable Void> outcome) {
        var unused = outcome.whenComplete((done, failure) -> {
            // A lost connection, and what was given up by a close, are told once, not for each message.
            if (failure != null && !abandoned && !session.connection().hasFailed()) {
                session.connection().report(Errors.asJms(failure));
            }
        });
    }

    /** Waits until the broker has answered all that was sent: what it has not is in doubt once the link is closed. */
    void awaitOutcomes(long timeoutMs) {
        boolean known = false;
        link.flush();
        try {
            known = window.tryAcquire(WINDOW_KIB, timeoutMs, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (known) {
            window.release(WINDOW_KIB);
        } else if (!session.connection().hasFailed()) {
            abandoned = true;
            session.connection()
                    .report(new JMSException(
                            "MS-0705 closed with " + (WINDOW_KIB - window.availablePermits())
                                    + " KiB of messages that the broker had not answered: they may be there or not",
                            "MS-0705"));
        }
    }

    private void acquire(int kib) throws JMSException {
        long timeoutMs = session.connection().options().timeouts().sendMs();
        try {
            if (window.tryAcquire(kib)) {
                return;
            }
            link.flush();
            if (!window.tryAcquire(kib, timeoutMs, TimeUnit.MILLISECONDS)) {
                throw new JMSException(
                        "MS-0705 no room to send within " + timeoutMs
                                + " ms: the broker does not take what was sent before",
                        "MS-0705");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JMSException("MS-0705 the thread was interrupted: send", "MS-0705");
        }
    }

    void close(long timeoutMs) throws JMSException {
        Errors.await(link.close(), timeoutMs, "closing a producer");
    }
}
