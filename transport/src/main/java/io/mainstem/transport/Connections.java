package io.mainstem.transport;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The connections that are open, for people: who they are, and a way to end them. Heads add a connection once they know
 * who it is. Thread: any.
 */
public final class Connections {
    private final AtomicLong ids = new AtomicLong();
    private final ConcurrentNavigableMap<Long, Open> open = new ConcurrentSkipListMap<>();
    private volatile Moment latest = new Moment(null);

    private record Open(Info info, Ending ending) {}

    /**
     * One connection. Immutable.
     *
     * @param id never used again while the process lives; greater for later connections
     * @param protocol such as {@code amqp-1.0}
     * @param peer address and port
     * @param clientId container-id or client id
     * @param name what the client calls the connection, or null
     * @param user null for anonymous
     * @param openedMs epoch ms
     */
    public record Info(
            long id,
            String protocol,
            String peer,
            String clientId,
            @Nullable String name,
            @Nullable String user,
            String virtualHost,
            long openedMs) {}

    /** Who has to go, because what users may do is different now. */
    public interface Revocation {
        /** Why this one has to go, for the peer; null if it may stay. */
        @Nullable
        String reason(Info info);

        /** Ends the connection unless it may stay; true if it has to go. */
        private boolean end(Open each) {
            String reason = reason(each.info());
            if (reason != null) {
                each.ending().end(reason);
            }
            return reason != null;
        }
    }

    /** A point in the row of revocations: a connection that was let in then is subject to all that come later. */
    public static final class Moment {
        private final @Nullable Revocation revocation;
        private volatile @Nullable Moment next;

        private Moment(@Nullable Revocation revocation) {
            this.revocation = revocation;
        }
    }

    /** How a head ends one of its connections. Thread: any; it goes to its event loop by itself. */
    public interface Ending {
        /** @param reason for the peer */
        void end(String reason);
    }

    /** The id of the next connection. */
    public long nextId() {
        return ids.incrementAndGet();
    }

    /** To be asked before it is looked up who a peer is. */
    public Moment moment() {
        return latest;
    }

    /**
     * Lists a connection until it is {@link #remove removed}; ends it if it was let in before a revocation that covers it.
     *
     * @param since before it was let in
     */
    public void add(Info info, Moment since, Ending ending) {
        Open added = new Open(info, ending);
        open.put(info.id(), added);
        for (Moment later = since.next; later != null; later = later.next) {
            if (later.revocation != null && later.revocation.end(added)) {
                return;
            }
        }
    }

    /** Idempotent. */
    public void remove(long id) {
        open.remove(id);
    }

    /** The connection, or null if it is not open. */
    public @Nullable Info get(long id) {
        Open found = open.get(id);
        return found == null ? null : found.info();
    }

    /**
     * Connections by id.
     *
     * @param after only greater ids; 0 = from the first
     * @param limit at most so many
     */
    public List<Info> list(long after, int limit) {
        List<Info> page = new ArrayList<>();
        for (Open each : open.tailMap(after, false).values()) {
            if (page.size() >= limit) {
                break;
            }
            page.add(each.info());
        }
        return page;
    }

    /** Ends a connection, which takes a moment; false if it is not open. */
    public boolean end(long id, String reason) {
        Open found = open.get(id);
        if (found == null) {
            return false;
        }
        found.ending().end(reason);
        return true;
    }

    /** Ends all connections that it covers, those too that are being let in just now; returns how many are open. */
    public synchronized int revoke(Revocation revocation) {
        Moment moment = new Moment(revocation);
        latest.next = moment;
        latest = moment;
        int ended = 0;
        for (Open each : open.values()) {
            ended += revocation.end(each) ? 1 : 0;
        }
        return ended;
    }
}
