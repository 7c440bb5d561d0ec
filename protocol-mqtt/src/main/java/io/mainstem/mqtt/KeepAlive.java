package io.mainstem.mqtt;

import io.netty.util.concurrent.EventExecutor;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Notices a client that sends no whole packet for one and a half times its keep alive [MQTT-3.1.2-22]. One timer a connection,
 * set anew when it fires, not with each packet. A client that is not read from may say what it likes: its silence counts
 * for nothing. Thread: the connection's event loop.
 */
final class KeepAlive {
    private final EventExecutor executor;
    private final Runnable onSilence;
    private @Nullable ScheduledFuture<?> timer;
    private long lastPacketNanos;
    private long limitNanos;
    /** Reasons why nothing is read. */
    private int suspended;

    KeepAlive(EventExecutor executor, Runnable onSilence) {
        this.executor = executor;
        this.onSilence = onSilence;
    }

    /** @param seconds 0 = off */
    void start(int seconds) {
        if (seconds > 0) {
            limitNanos = TimeUnit.MILLISECONDS.toNanos(seconds * 1500L);
            onPackets();
            arm(limitNanos);
        }
    }

    void onPackets() {
        if (limitNanos > 0) {
            lastPacketNanos = executor.ticker().nanoTime();
        }
    }

    /** Nothing is read from the client from now on; each has its {@link #resume}. */
    void suspend() {
        suspended++;
    }

    /** The client is read from again: its time begins anew. */
    void resume() {
        suspended--;
        onPackets();
    }

    void stop() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    private void arm(long nanos) {
        timer = executor.schedule(this::look, nanos, TimeUnit.NANOSECONDS);
    }

    private void look() {
        long left = lastPacketNanos + limitNanos - executor.ticker().nanoTime();
        if (suspended > 0) {
            arm(limitNanos);
        } else if (left <= 0) {
            onSilence.run();
        } else {
            arm(left);
        }
    }
}
