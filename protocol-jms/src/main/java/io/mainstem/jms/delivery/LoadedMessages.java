package io.mainstem.jms.delivery;

import io.mainstem.jms.error.Errors;
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
public final class LoadedMessages {
    private final Deliveries deliveries;
    private final Handover handover;
    private final Deque<InboxDelivery> loaded = new ArrayDeque<>();
    private volatile @Nullable MessageListener listener;
    private boolean closed;

    public LoadedMessages(Deliveries deliveries, Handover handover) {
        this.deliveries = deliveries;
        this.handover = handover;
    }

    public @Nullable MessageListener listener() {
        return listener;
    }

    public void listener(@Nullable MessageListener next) {
        listener = next;
    }

    /** @throws JMSException if the session is closed; nothing is loaded then */
    public void load(List<InboxDelivery> batch) throws JMSException {
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
    public void run() {
        MessageListener current = listener;
        if (current == null) {
            release(taken(loaded));
            throw new IllegalStateRuntimeException(
                    "MS-0708 run on a session without a listener; fix: set one on the session", "MS-0708");
        }
        for (InboxDelivery next = deliveries.nextLoaded(loaded); next != null; next = deliveries.nextLoaded(loaded)) {
            try {
                handover.dispatch(next, current);
            } finally {
                deliveries.loadedDone();
                next.inbox().unsettled(-1);
            }
        }
    }

    /** Takes those away that nobody has begun with. */
    public List<InboxDelivery> unload(List<InboxDelivery> batch) {
        return taken(batch);
    }

    private List<InboxDelivery> taken(Iterable<InboxDelivery> from) {
        List<InboxDelivery> taken = new ArrayList<>();
        deliveries.locked(() -> {
            from.forEach(taken::add);
            taken.removeIf(arrived -> !loaded.contains(arrived));
            loaded.removeAll(taken);
        });
        return taken;
    }

    public static void release(List<InboxDelivery> unseen) {
        for (InboxDelivery arrived : unseen) {
            arrived.inbox().settle(arrived, Outcome.RELEASED, null);
            arrived.inbox().unsettled(-1);
        }
    }

    /** The connection is lost: the broker has these again. */
    public void forget(Inbox inbox) {
        deliveries.locked(() -> {
            int before = loaded.size();
            loaded.removeIf(arrived -> arrived.inbox() == inbox);
            inbox.unsettled(loaded.size() - before);
        });
    }

    public void close() {
        deliveries.locked(() -> closed = true);
        release(taken(loaded));
    }
}
