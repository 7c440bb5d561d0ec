package io.mainstem.jms;

import io.mainstem.jms.link.Outcome;
import jakarta.jms.IllegalStateRuntimeException;
import jakarta.jms.JMSException;
import jakarta.jms.MessageListener;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Messages that connection consumers have put into a session, and the listener of the session, which a thread of the
 * application server runs (Jakarta Messaging 11.2). They belong to the links of those consumers, which stay open until the
 * last one is settled. Thread: any; the lock of the session's {@link Deliveries} guards them.
 */
final class LoadedMessages {
    private final Deliveries deliveries;
    private final Handover handover;
    private final Deque<Arrived> loaded = new ArrayDeque<>();
    private volatile @Nullable MessageListener listener;
    private boolean closed;

    LoadedMessages(Deliveries deliveries, Handover handover) {
        this.deliveries = deliveries;
        this.handover = handover;
    }

    @Nullable
    MessageListener listener() {
        return listener;
    }

    void listener(@Nullable MessageListener next) {
        listener = next;
    }

    /** @throws JMSException if the session is closed; nothing is loaded then */
    void load(List<Arrived> batch) throws JMSException {
        boolean[] taken = new boolean[1];
        deliveries.locked(() -> {
            taken[0] = !closed;
            if (taken[0]) {
                loaded.addAll(batch);
            }
        });
        if (!taken[0]) {
            throw Errors.closed("session of a server session pool");
        }
    }

    /** Hands over all that is loaded, one after the other, and waits while the connection is stopped. */
    void run() {
        MessageListener current = listener;
        if (current == null) {
            release(taken(loaded));
            throw new IllegalStateRuntimeException(
                    "MS-0708 run on a session without a listener; fix: set one on the session", "MS-0708");
        }
        for (Arrived next = deliveries.nextLoaded(loaded); next != null; next = deliveries.nextLoaded(loaded)) {
            try {
                handover.dispatch(next, current);
            } finally {
                deliveries.loadedDone();
                next.inbox().unsettled(-1);
            }
        }
    }

    /** Takes those away that nobody has begun with. */
    List<Arrived> unload(List<Arrived> batch) {
        return taken(batch);
    }

    private List<Arrived> taken(Iterable<Arrived> from) {
        List<Arrived> taken = new ArrayList<>();
        deliveries.locked(() -> {
            from.forEach(taken::add);
            taken.removeIf(arrived -> !loaded.contains(arrived));
            loaded.removeAll(taken);
        });
        return taken;
    }

    static void release(List<Arrived> unseen) {
        for (Arrived arrived : unseen) {
            arrived.inbox().settle(arrived, Outcome.RELEASED, null);
            arrived.inbox().unsettled(-1);
        }
    }

    /** The connection is lost: the broker has these again. */
    void forget(Inbox inbox) {
        deliveries.locked(() -> {
            int before = loaded.size();
            loaded.removeIf(arrived -> arrived.inbox() == inbox);
            inbox.unsettled(loaded.size() - before);
        });
    }

    void close() {
        deliveries.locked(() -> closed = true);
        release(taken(loaded));
    }
}
