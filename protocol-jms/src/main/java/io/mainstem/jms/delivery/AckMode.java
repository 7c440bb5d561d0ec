package io.mainstem.jms.delivery;

import io.mainstem.jms.link.Outcome;
import io.mainstem.jms.link.TransactionId;
import io.mainstem.jms.transaction.Transactions;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * When the messages of a session are acknowledged. Knows which ones the application has that are neither acknowledged nor
 * given back. Thread: any.
 */
public abstract class AckMode {
    private final Deliveries deliveries;
    private final Set<InboxDelivery> open = new LinkedHashSet<>();

    AckMode(Deliveries deliveries) {
        this.deliveries = deliveries;
    }

    /** @param mode of {@link Session}; what is without transactions in an XA session is acknowledged automatically */
    public static AckMode of(int mode, Deliveries deliveries, Transactions work) {
        if (work != Transactions.NONE) {
            return new InTransaction(deliveries, work);
        }
        return switch (mode) {
            case Session.CLIENT_ACKNOWLEDGE -> new ByClient(deliveries);
            case Session.DUPS_OK_ACKNOWLEDGE -> new Lazy(deliveries);
            default -> new Automatic(deliveries);
        };
    }

    final Deliveries deliveries() {
        return deliveries;
    }

    /**
     * The application is about to get it.
     *
     * @return false if it must not: the connection it came over is lost, so that it comes again
     * @throws JMSException if it must not: there is no transaction to put it into
     */
    public boolean handed(InboxDelivery arrived) throws JMSException {
        if (arrived.isGone()) {
            return false;
        }
        opened(arrived);
        return true;
    }

    /** The receive call returns with it, or its listener has returned. */
    public abstract void finished(InboxDelivery arrived);

    /** Whether a message whose listener failed comes again at once; else it counts as delivered. */
    abstract boolean redeliversAtOnce();

    /** {@code Message.acknowledge()}. */
    public void acknowledge() {
        // Only CLIENT_ACKNOWLEDGE asks the application.
    }

    /** The transaction is undone: what came when it could no longer be committed goes back. Thread: the session's. */
    public void rolledBack() {
        // Only transactions hold any.
    }

    final void opened(InboxDelivery arrived) {
        deliveries.locked(() -> {
            open.add(arrived);
            arrived.inbox().unsettled(1);
        });
    }

    /** Settles it, unless that has happened. */
    final void accept(InboxDelivery arrived) {
        end(List.of(arrived), Outcome.ACCEPTED);
    }

    final void acceptAll() {
        end(taken(), Outcome.ACCEPTED);
    }

    /** Acknowledges now what could have waited. */
    public void flush() {
        // Most modes let nothing wait.
    }

    /** Gives back all that the application has; it will come again, counted. */
    public final void giveBackAll() {
        flush();
        end(taken(), Outcome.FAILED);
    }

    /** As {@link #giveBackAll} for one. */
    final void giveBack(InboxDelivery arrived) {
        end(List.of(arrived), Outcome.FAILED);
    }

    /** The connection is lost: the broker has given these back itself. */
    public final void forget(Inbox inbox) {
        deliveries.locked(() -> open.removeIf(arrived -> {
            boolean gone = arrived.inbox() == inbox;
            if (gone) {
                inbox.unsettled(-1);
            }
            return gone;
        }));
    }

    private List<InboxDelivery> taken() {
        List<InboxDelivery> all = new ArrayList<>();
        deliveries.locked(() -> all.addAll(open));
        return all;
    }

    final void end(List<InboxDelivery> ended, Outcome outcome) {
        deliveries.locked(() -> {
            for (InboxDelivery arrived : ended) {
                if (open.remove(arrived)) {
                    arrived.inbox().settle(arrived, outcome, null);
                    arrived.inbox().unsettled(-1);
                }
            }
        });
    }

    /** AUTO_ACKNOWLEDGE: when the application is done with it. */
    static final class Automatic extends AckMode {
        Automatic(Deliveries deliveries) {
            super(deliveries);
        }

        @Override
        public void finished(InboxDelivery arrived) {
            accept(arrived);
        }

        @Override
        boolean redeliversAtOnce() {
            return true;
        }
    }

    /**
     * DUPS_OK_ACKNOWLEDGE: several at once, as long as more wait to be worked on by the same receiver or a listener. At most {@value #BATCH_MAX} messages
     * come again after a crash, and none that the application was done with {@value #LATE_MS} ms before it took the next.
     */
    static final class Lazy extends AckMode {
        private static final int BATCH_MAX = 64;
        private static final long LATE_MS = 100;

        private final List<InboxDelivery> done = new ArrayList<>();
        private long oldestNanos;

        Lazy(Deliveries deliveries) {
            super(deliveries);
        }

        @Override
        public void finished(InboxDelivery arrived) {
            long now = System.nanoTime();
            deliveries().locked(() -> {
                if (done.isEmpty()) {
                    oldestNanos = now;
                }
                done.add(arrived);
                boolean late = now - oldestNanos >= TimeUnit.MILLISECONDS.toNanos(LATE_MS);
                if (late || done.size() >= BATCH_MAX || !deliveries().anyWaiting(arrived.inbox())) {
                    flush();
                }
            });
        }

        @Override
        public void flush() {
            deliveries().locked(() -> {
                end(done, Outcome.ACCEPTED);
                done.clear();
            });
        }

        @Override
        boolean redeliversAtOnce() {
            return true;
        }
    }

    /** CLIENT_ACKNOWLEDGE: all at once, when the application says so. */
    static final class ByClient extends AckMode {
        ByClient(Deliveries deliveries) {
            super(deliveries);
        }

        @Override
        public void finished(InboxDelivery arrived) {
            // Not before acknowledge().
        }

        @Override
        boolean redeliversAtOnce() {
            return false;
        }

        @Override
        public void acknowledge() {
            acceptAll();
        }
    }

    /** Within a transaction: with it or not at all. Without one, as {@link Automatic}: only XA sessions are so. */
    static final class InTransaction extends AckMode {
        private final Transactions work;
        private final Set<InboxDelivery> held = new LinkedHashSet<>();
        private @Nullable TransactionId heldIn;

        InTransaction(Deliveries deliveries, Transactions work) {
            super(deliveries);
            this.work = work;
        }

        @Override
        public boolean handed(InboxDelivery arrived) throws JMSException {
            if (!work.active()) {
                return super.handed(arrived);
            }
            TransactionId transaction = work.join();
            if (transaction != heldIn) {
                rolledBack(); // The one before is ended, be it over another session that joined its branch.
            }
            // Asked with the transaction at hand: one that was begun after the loss must not end without this message.
            if (arrived.isGone()) {
                return false;
            }
            if (transaction.isOver()) {
                heldIn = transaction;
                held.add(arrived); // It ended with a lost connection, which the application learns at its end.
                opened(arrived);
            } else {
                deliveries().settle(arrived, Outcome.ACCEPTED, transaction);
            }
            return true;
        }

        @Override
        public void finished(InboxDelivery arrived) {
            if (!held.contains(arrived)) {
                accept(arrived);
            }
        }

        @Override
        public void rolledBack() {
            List<InboxDelivery> ended = List.copyOf(held);
            held.clear();
            heldIn = null;
            ended.forEach(this::giveBack);
        }

        @Override
        boolean redeliversAtOnce() {
            return !work.active();
        }
    }
}
