package io.mainstem.mqtt;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.TimeUnit;

/** Publishes of one client in a second: one that sends more is read no faster. Thread: the connection's event loop. */
final class PublishRate {
    private final EventExecutor executor;
    private final Runnable goOn;
    private final RateLimit limit;
    private boolean waiting;

    /**
     * @param perSecond at least 1
     * @param goOn called once the client may publish again
     */
    PublishRate(int perSecond, EventExecutor executor, Runnable goOn) {
        this.executor = executor;
        this.goOn = goOn;
        this.limit = new RateLimit(perSecond, executor.ticker().nanoTime());
    }

    /** Counts a publish; true if no other may follow for now. */
    boolean published() {
        long now = executor.ticker().nanoTime();
        limit.take(now);
        long wait = limit.waitNanos(now);
        if (wait > 0 && !waiting) {
            waiting = true;
            var unused = executor.schedule(this::over, wait, TimeUnit.NANOSECONDS);
        }
        return waiting;
    }

    /** True while nothing of the client is to be read. */
    boolean isWaiting() {
        return waiting;
    }

    private void over() {
        waiting = false;
        goOn.run();
    }
}
