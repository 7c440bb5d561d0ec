package io.mainstem.transport;

import io.netty.util.concurrent.Ticker;
import java.util.concurrent.TimeUnit;

/**
 * How long a peer has given no sign of life. Signs are: a whole frame or packet; or, of one that is under way, so many bytes
 * that who sends {@value #BYTES_PER_SECOND} a second is never silent. While nothing is read from it, its own reading is the
 * only sign, and is needed only as long as something waits for it.
 *
 * <p>Thread: the connection's event loop.
 */
public final class Silence {
    /** As fast as this a large frame or packet may come for as long as it takes; at less than half of it, it may not. */
    public static final int BYTES_PER_SECOND = 1 << 10;

    private static final int LOOKS = 4;

    private final WriteGate gate;
    private final Ticker ticker;
    private long limitNanos;
    private long bytesEnough;
    private long signNanos;
    private long bytes;

    public Silence(WriteGate gate, Ticker ticker) {
        this.gate = gate;
        this.ticker = ticker;
    }

    /** Begins now; so long the peer may be silent. */
    public void begin(long limitMs) {
        limitNanos = TimeUnit.MILLISECONDS.toNanos(limitMs);
        bytesEnough = Math.max(1, TimeUnit.MILLISECONDS.toSeconds(limitMs * BYTES_PER_SECOND / 2));
        onWhole();
    }

    /** Something has come whole. */
    public void onWhole() {
        bytes = 0;
        signNanos = ticker.nanoTime();
    }

    /** Some of what is not whole has come. */
    public void onBytes(int count) {
        bytes += count;
        if (bytes >= bytesEnough) {
            onWhole();
        }
    }

    /**
     * Nanoseconds until the peer has been silent for too long; 0 or less: it has. To be asked at least as often as
     * {@link #lookNanos} says.
     */
    public long leftNanos() {
        long now = ticker.nanoTime();
        if (gate.isPaused() && gate.drains()) {
            signNanos = now;
        }
        // When reading is paused or taken up again, what is a sign changes, and the time begins anew.
        long silent = Math.min(now - signNanos, now - gate.turnedNanos());
        return limitNanos - silent;
    }

    /** When to look again: in time for the limit, and now and then whether a peer that is not read from reads. */
    public long lookNanos() {
        long left = leftNanos();
        return gate.isPaused() ? Math.min(left, limitNanos / LOOKS) : left;
    }
}
