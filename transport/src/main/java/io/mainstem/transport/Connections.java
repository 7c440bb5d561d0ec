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

    private record Open(Info info, Ending ending) {}

    /**
     * One connection. Immutable.
     *
     * @param id never used again while the process lives; greater for later connections
     * @param protocol such as {@code amqp-1.0}
     * @param peer address and port
     * @param clientId container-id or client id
     * @param user null for anonymous
     * @param openedMs epoch ms
     */
    public record Info(
            long id,
            String protocol,
            String peer,
            String clientId,
            @Nullable String user,
            String virtualHost,
            long openedMs) {}

    /** How a head ends one of its connections. Thread: any; it goes to its event loop by itself. */
    public interface Ending {
        /** @param reason for the peer */
        void end(String reason);
    }

    /** The id of the next connection. */
    public long nextId() {
        return ids.incrementAndGet();
    }

    /** Lists a connection until it is {@link #remove removed}. */
    public void add(Info info, Ending ending) {
        open.put(info.id(), new Open(info, ending));
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

    /** Ends all connections of a user, which takes a moment; returns how many. */
    public int endOf(String user, String reason) {
        int ended = 0;
        for (Open each : open.values()) {
            if (user.equals(each.info().user())) {
                each.ending().end(reason);
                ended++;
            }
        }
        return ended;
    }
}
