package io.mainstem.store.shard;

import io.mainstem.store.segment.CommitLog;
import io.mainstem.store.segment.CommitLog.LsnRange;
import io.mainstem.store.segment.CommitLog.ScrubStep;
import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads all sealed segments again, slowly, once a day: damage is better found while a backup still has what it took. At 0
 * bytes a second they are not read, and what follows a pass is done as often.
 *
 * <p>Thread: shard only, except what the executor runs.
 */
final class Scrub {
    private static final Logger LOG = LoggerFactory.getLogger(Scrub.class);
    private static final int STEP_BYTES = 1 << 20;
    private static final long PASS_MS = 24L * 3_600_000;
    private static final long RETRY_MS = 600_000;

    private final CommitLog log;
    private final long bytesPerSecond;
    private final Executor background;
    private final Consumer<Runnable> shard;
    private final Consumer<LsnRange> damages;
    private final Runnable passed;
    private long nextLsn;
    private long dueMs;
    private long passBegunMs;
    private long bytes;
    private long found;
    private long passes;
    private boolean reading;
    private boolean started;

    /**
     * Not begun.
     *
     * @param bytesPerSecond 0 = segments are not read
     * @param damages told, on the shard thread, of ranges with damage in them
     * @param passed run there when all segments have been read: it is the turn of what is derived from them
     */
    Scrub(
            CommitLog log,
            long bytesPerSecond,
            Executor background,
            Consumer<Runnable> shard,
            Consumer<LsnRange> damages,
            Runnable passed) {
        this.passed = passed;
        this.log = log;
        this.bytesPerSecond = bytesPerSecond;
        this.background = background;
        this.shard = shard;
        this.damages = damages;
    }

    /** Lets the next step begin if it is time. */
    void slice(long nowMs) {
        if (reading) {
            return;
        }
        if (!started) {
            // Not at once: a broker that starts has better things to read.
            started = true;
            dueMs = nowMs + RETRY_MS;
            passBegunMs = dueMs;
        }
        if (nowMs - dueMs < 0) {
            return;
        }
        if (bytesPerSecond == 0) {
            dueMs = nowMs + PASS_MS;
            passed.run();
            return;
        }
        reading = true;
        background.execute(() -> {
            Runnable result = step(nextLsn, nowMs);
            shard.accept(result);
        });
    }

    /** Whole passes since the start. */
    long passes() {
        return passes;
    }

    private Runnable step(long fromLsn, long nowMs) {
        try {
            ScrubStep step = log.scrub(fromLsn, STEP_BYTES);
            return () -> stepped(step, nowMs);
        } catch (IOException | RuntimeException e) {
            return () -> {
                reading = false;
                dueMs = nowMs + RETRY_MS;
                LOG.warn(
                        "MS-0249 scrub-failed lsn={} cause=\"{}\" fix: check the disk; it goes on later",
                        fromLsn,
                        e.toString());
            };
        }
    }

    private void stepped(ScrubStep step, long nowMs) {
        reading = false;
        bytes += step.bytesRead();
        found += step.damaged().size();
        step.damaged().forEach(damages);
        nextLsn = step.nextLsn();
        dueMs = nowMs + step.bytesRead() * 1000 / bytesPerSecond;
        if (nextLsn < 0) {
            if (bytes > 0) {
                LOG.info("scrubbed bytes={} damaged-ranges={}", bytes, found);
            }
            passes++;
            passed.run();
            nextLsn = 0;
            bytes = 0;
            found = 0;
            dueMs = Math.max(dueMs, passBegunMs + PASS_MS);
            passBegunMs = dueMs;
        }
    }
}
