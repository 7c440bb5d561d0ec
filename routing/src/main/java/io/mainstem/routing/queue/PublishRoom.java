package io.mainstem.routing.queue;

import io.mainstem.store.ShardStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * Whether a session may publish more: its bytes on their way, what holds it back, and who waits for room. Thread: the
 * session's event loop, except where a method says shard.
 */
final class PublishRoom {
    private final ShardStore store;
    private final Executor eventLoop;
    private final long inFlightBytesMax;
    private final List<Runnable> whenWritable = new ArrayList<>();
    private volatile String heldBack = "";
    private long inFlightBytes;
    private boolean awaitingStore;
    private boolean closed;

    PublishRoom(ShardStore store, Executor eventLoop, long inFlightBytesMax) {
        this.store = store;
        this.eventLoop = eventLoop;
        this.inFlightBytesMax = inFlightBytesMax;
    }

    /** A publish of so many bytes is on its way. */
    void take(long bytes) {
        inFlightBytes += bytes;
    }

    /** It has been answered; {@link #check} follows. */
    void giveBack(long bytes) {
        inFlightBytes -= bytes;
    }

    boolean writable() {
        return inFlightBytes < inFlightBytesMax && heldBack.isEmpty() && store.writable();
    }

    String blockedReason() {
        if (!heldBack.isEmpty()) {
            return heldBack;
        }
        if (!store.writable()) {
            String reason = store.stateReason();
            return reason.isEmpty() ? "the log has too many bytes in flight" : reason;
        }
        return inFlightBytes < inFlightBytesMax
                ? ""
                : "publishes not answered yet: " + inFlightBytes + " bytes (limit: " + inFlightBytesMax + ")";
    }

    void onWritable(Runnable ready) {
        whenWritable.add(ready);
        check();
    }

    /** Calls those that wait if nothing holds the session back any more. */
    void check() {
        if (whenWritable.isEmpty() || closed) {
            return;
        }
        if (writable()) {
            List<Runnable> ready = List.copyOf(whenWritable);
            whenWritable.clear();
            ready.forEach(Runnable::run);
        } else if (!awaitingStore && !store.writable()) {
            awaitingStore = true;
            store.onWritable(() -> eventLoop.execute(() -> {
                awaitingStore = false;
                check();
            }));
        }
    }

    /** Says why publishes have to wait, empty = they do not. Thread: shard. */
    void heldBack(String reason) {
        heldBack = reason;
    }

    /** The session has ended: nobody waits any more. */
    void close() {
        closed = true;
    }
}
