package io.mainstem.jms.session;

import io.mainstem.jms.connection.BrokerConnection;
import io.mainstem.jms.destination.MainstemDestination;
import io.mainstem.jms.error.Answers;
import io.mainstem.jms.error.Errors;
import io.mainstem.jms.link.SenderLink;
import io.mainstem.jms.link.TransactionId;
import io.mainstem.jms.message.EncodedMessage;
import io.mainstem.jms.message.SendHeaders;
import io.mainstem.jms.message.SendHeaders.ProducerSequence;
import io.mainstem.jms.transaction.Transactions;
import jakarta.jms.BytesMessage;
import jakarta.jms.CompletionListener;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A producer, whichever API it is called by: headers, freezing, how much may be under way without an answer, and who is
 * told of the outcomes. Thread: that of the session; outcomes come on the transport's; {@link #awaitOutcomes} from any.
 */
public final class Outbox {
    /** Bytes under way, in units of 1 KiB: a send beyond that waits. */
    private static final int WINDOW_KIB = 8 << 10;
    /** So much of a transaction may gather before it leaves. */
    private static final int GATHERED_KIB = 64;

    private final BrokerConnection connection;
    private final Transactions transactions;
    private final Completions.OfProducer completions;
    private final SenderLink link;
    private final String producerId;
    private final boolean numbered;
    private final Semaphore window = new Semaphore(WINDOW_KIB);
    private long sequence;
    private int gatheredKib;
    private volatile boolean abandoned;

    Outbox(
            BrokerConnection connection,
            Transactions transactions,
            Completions.OfProducer completions,
            SenderLink link) {
        this.connection = connection;
        this.transactions = transactions;
        this.completions = completions;
        this.link = link;
        this.producerId = connection.id() + ':' + connection.nextNumber();
        this.numbered = connection.options().failover() != null
                && connection.options().delivery().dedup();
    }

    /**
     * Sends the message as it is now, after setting its headers, and returns when the broker has it; at once with a
     * completion listener, within a transaction, and for NON_PERSISTENT messages unless that is switched off.
     *
     * @param message null is refused, as Jakarta Messaging has it
     * @throws JMSException it cannot be encoded, there is no room for it in time, or the broker does not take it
     */
    public void send(
            MainstemDestination destination,
            @Nullable Message message,
            SendOptions options,
            @Nullable CompletionListener listener)
            throws JMSException {
        CompletionStage<@Nullable Void> outcome = send(message, destination, options, listener != null);
        if (listener != null && message != null) {
            if (message instanceof BytesMessage sent) {
                sent.reset(); // so that the listener can read it
            }
            completions.add(message, listener, outcome);
        } else if (transactions.active()) {
            return; // The commit waits.
        } else if (options.deliveryMode() == DeliveryMode.NON_PERSISTENT
                && connection.options().delivery().asyncNonPersistent()) {
            reportFailure(outcome);
        } else {
            Answers.await(
                    outcome,
                    connection.options().timeouts().sendMs(),
                    "sending to " + destination + "; the message may be stored or not");
        }
    }

    /** @param awaited somebody waits for the outcome before the transaction, if there is one, ends */
    private CompletionStage<@Nullable Void> send(
            @Nullable Message message, MainstemDestination destination, SendOptions options, boolean awaited)
            throws JMSException {
        // What is sent in a transaction is not sent again: it is undone with its connection.
        boolean transacted = transactions.active();
        EncodedMessage encoded = connection.messages().freeze(message, headers(destination, options, !transacted));
        int kib = Math.min(WINDOW_KIB, 1 + encoded.bytes() / 1024);
        acquire(kib);
        CompletionStage<@Nullable Void> outcome = null;
        try {
            TransactionId transaction = transacted ? transactions.join() : null;
            if (transaction != null && !awaited && transactions.gathers() && gathers(kib)) {
                outcome = link.sendLater(encoded, transaction);
            } else {
                outcome = link.send(encoded, transaction);
            }
            if (transaction != null) {
                transactions.sent(outcome);
            }
            return outcome;
        } finally {
            if (outcome == null) {
                window.release(kib);
            } else {
                var unused = outcome.whenComplete((done, failed) -> {
                    window.release(kib);
                    connection.counters().outcome(failed == null);
                });
            }
        }
    }

    /** @param mayBeRepeated it is sent again if its connection is lost, and must be stored once */
    private SendHeaders headers(MainstemDestination destination, SendOptions options, boolean mayBeRepeated) {
        long now = System.currentTimeMillis();
        long number = sequence++;
        return new SendHeaders(
                destination,
                options.deliveryMode(),
                options.priority(),
                options.withoutTimestamp() ? 0 : now,
                options.withoutId() ? null : "ID:" + producerId + ':' + number,
                options.timeToLiveMs(),
                options.timeToLiveMs() == 0 ? 0 : after(now, options.timeToLiveMs()),
                after(now, options.delayMs()),
                options.delayMs() > 0,
                numbered && mayBeRepeated ? new ProducerSequence(producerId, number) : null);
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
    private void reportFailure(CompletionStage<@Nullable Void> outcome) {
        var unused = outcome.whenComplete((done, failure) -> {
            // A lost connection, and what was given up by a close, are told once, not for each message.
            if (failure != null && !abandoned) {
                connection.reportUnlessLost(Errors.asJms(failure));
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
        } else if (connection.failure() == null) {
            abandoned = true;
            connection.report(new JMSException(
                    "MS-0705 closed with " + (WINDOW_KIB - window.availablePermits())
                            + " KiB of messages that the broker had not answered: they may be there or not; fix:"
                            + " look at the broker, or send them again with deduplication",
                    "MS-0705"));
        }
    }

    private void acquire(int kib) throws JMSException {
        long timeoutMs = connection.options().timeouts().sendMs();
        try {
            if (window.tryAcquire(kib)) {
                return;
            }
            link.flush();
            if (!window.tryAcquire(kib, timeoutMs, TimeUnit.MILLISECONDS)) {
                throw new JMSException(
                        "MS-0705 no room to send within " + timeoutMs
                                + " ms: the broker does not take what was sent before; fix: see why it holds publishers"
                                + " back, or allow more time (jms.sendTimeout)",
                        "MS-0705");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JMSException(
                    "MS-0705 the thread was interrupted: send; fix: close from another thread instead", "MS-0705");
        }
    }

    void close(long timeoutMs) throws JMSException {
        Answers.await(link.close(), timeoutMs, "closing a producer");
    }
}
