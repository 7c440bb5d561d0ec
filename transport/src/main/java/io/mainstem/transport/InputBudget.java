package io.mainstem.transport;

import io.netty.util.concurrent.Ticker;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bytes that all connections may hold of packets, frames or messages of which the rest has not come. Nobody has a right to
 * room for ever: when there is none left, the largest of those that are incomplete for longer than
 * {@value #PATIENCE_SECONDS} s is told to go (ADR 0079). Thread: any.
 */
public final class InputBudget {
    /** So long something may be incomplete while others find no room. */
    public static final int PATIENCE_SECONDS = 30;

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    /** Looking at all holds costs something, and peers decide how often there is no room. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final int HEAP_SHARE = 4;

    private final long max;
    private final Ticker ticker;
    private final AtomicLong used = new AtomicLong();
    private final AtomicLong nextLook;
    /** Those that hold something. */
    private final Set<Hold> holds = ConcurrentHashMap.newKeySet();

    public InputBudget(long max, Ticker ticker) {
        this.max = max;
        this.ticker = ticker;
        this.nextLook = new AtomicLong(ticker.nanoTime());
    }

    /**
     * For what waits in buffers of sockets: a quarter of the heap, which is a quarter of direct memory, too, unless the JVM
     * is told otherwise; and two packets in any case.
     */
    public static InputBudget ofBuffers(long packetBytesMax) {
        long share = Runtime.getRuntime().maxMemory() / HEAP_SHARE;
        return new InputBudget(Math.max(share, 2 * packetBytesMax), Ticker.systemTicker());
    }

    /** What one connection may have of it. */
    public Share share(long shareMax) {
        return new Share(shareMax);
    }

    /** Bytes held by all. */
    public long used() {
        return used.get();
    }

    private boolean take(long more) {
        // Never more than there is, not for a moment: somebody else's little would be refused meanwhile.
        for (long now = used.get(); now + more <= max; now = used.get()) {
            if (used.compareAndSet(now, now + more)) {
                return true;
            }
        }
        lapseOne();
        return false;
    }

    private void lapseOne() {
        long now = ticker.nanoTime();
        long look = nextLook.get();
        if (now - look < 0 || !nextLook.compareAndSet(look, now + PAUSE_NANOS)) {
            return;
        }
        Hold largest = null;
        for (Hold hold : holds) {
            if (now - hold.since > PATIENCE_NANOS && (largest == null || hold.bytes > largest.bytes)) {
                largest = hold;
            }
        }
        if (largest != null) {
            largest.since = now;
            largest.lapsed.run();
        }
    }

    /** The part of one connection. Thread: the connection's event loop. */
    public final class Share {
        private final long shareMax;
        private long shareUsed;

        private Share(long shareMax) {
            this.shareMax = shareMax;
        }

        /**
         * For one thing at a time that comes in pieces.
         *
         * @param lapsed it has had its time and others have no room; called by any thread
         */
        public Hold hold(Runnable lapsed) {
            return new Hold(this, lapsed);
        }
    }

    /** What has come of one thing. Thread: the connection's event loop. */
    public final class Hold {
        private final Share share;
        private final Runnable lapsed;
        private volatile long bytes;
        private volatile long since;

        private Hold(Share share, Runnable lapsed) {
            this.share = share;
            this.lapsed = lapsed;
        }

        /** So much is held from now on; false if there is no room, and then nothing has changed. */
        public boolean resize(long wanted) {
            long before = bytes;
            long more = wanted - before;
            if (more > 0 && (share.shareUsed + more > share.shareMax || !take(more))) {
                return false;
            }
            if (more < 0) {
                used.addAndGet(more);
            }
            share.shareUsed += more;
            bytes = wanted;
            if (before == 0 && wanted > 0) {
                since = ticker.nanoTime();
                holds.add(this);
            } else if (wanted == 0) {
                holds.remove(this);
            }
            return true;
        }

        /** As {@link #resize}, by so much. */
        public boolean add(long more) {
            return resize(bytes + more);
        }

        /** What came is complete, and what is held belongs to the next one. */
        public void next() {
            since = ticker.nanoTime();
        }

        /** Nothing is held any more. */
        public void clear() {
            if (bytes > 0) {
                resize(0);
            }
        }
    }
}
