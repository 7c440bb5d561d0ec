package io.mainstem.store;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one clock of a broker: the wall clock as far as it can be believed [L-8].
 *
 * <ul>
 *   <li>It never goes back: while the wall clock is behind what was said before, time stands still.
 *   <li>A jump ahead of more than a minute, measured against {@code System.nanoTime}, would expire messages and deliver
 *       delayed ones before their time if it were a mistake. It is believed when it has lasted for a minute; until then
 *       time goes on by nanoTime.
 * </ul>
 *
 * <p>Thread: any.
 */
public final class BrokerClock implements InstantSource {
    private static final Logger LOG = LoggerFactory.getLogger(BrokerClock.class);
    private static final long JUMP_MS = 60_000;
    private static final long LASTING_MS = 60_000;
    /** A wall clock that is corrected while it is doubted is another one. */
    private static final long SAME_JUMP_MS = 1_000;

    private static final long NANOS_PER_MS = 1_000_000;

    private final InstantSource wall;
    private final LongSupplier nanos;
    private final AtomicLong last = new AtomicLong(Long.MIN_VALUE);
    /** How far the wall clock is ahead of nanoTime by what is believed. */
    private volatile long aheadMs;

    private volatile boolean doubting;
    private long doubtedMs;
    private long doubtedSinceMs;

    /** The system's clocks. */
    public BrokerClock() {
        this(InstantSource.system(), System::nanoTime);
    }

    /** @param nanos counts evenly from any origin, as {@code System.nanoTime} */
    public BrokerClock(InstantSource wall, LongSupplier nanos) {
        this.wall = wall;
        this.nanos = nanos;
        this.aheadMs = wall.millis() - steadyMs();
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(millis());
    }

    @Override
    public long millis() {
        long steadyMs = steadyMs();
        long wallMs = wall.millis();
        long jumpMs = wallMs - steadyMs - aheadMs;
        if (jumpMs > JUMP_MS || doubting) {
            wallMs = believed(wallMs, steadyMs);
        } else if (jumpMs != 0) {
            aheadMs = wallMs - steadyMs;
        }
        long before = last.get();
        return wallMs <= before ? before : last.accumulateAndGet(wallMs, Math::max);
    }

    /** True while the wall clock has jumped ahead and is not believed yet. */
    public boolean doubting() {
        return doubting;
    }

    private synchronized long believed(long wallMs, long steadyMs) {
        long jumpMs = wallMs - steadyMs - aheadMs;
        if (jumpMs <= JUMP_MS) {
            if (doubting) {
                doubting = false;
                LOG.warn("MS-0261 wall clock is back reason=\"it had jumped ahead by {} ms\"", doubtedMs);
            }
            return wallMs;
        }
        if (!doubting || Math.abs(jumpMs - doubtedMs) > SAME_JUMP_MS) {
            doubting = true;
            doubtedMs = jumpMs;
            doubtedSinceMs = steadyMs;
            LOG.warn(
                    "MS-0260 wall clock jumped ahead by={} ms fix: none if it is right now, it is believed in {} s; "
                            + "else correct it",
                    jumpMs,
                    LASTING_MS / 1000);
        }
        if (steadyMs - doubtedSinceMs >= LASTING_MS) {
            doubting = false;
            aheadMs = wallMs - steadyMs;
            LOG.warn("MS-0262 wall clock is believed reason=\"ahead by {} ms for {} s\"", jumpMs, LASTING_MS / 1000);
            return wallMs;
        }
        return steadyMs + aheadMs;
    }

    private long steadyMs() {
        return Math.floorDiv(nanos.getAsLong(), NANOS_PER_MS);
    }
}
