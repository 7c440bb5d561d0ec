package io.mainstem.mqtt;

import io.mainstem.transport.Silence;
import io.mainstem.transport.WriteGate;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Notices a client that gives no sign of life for one and a half times its keep alive [MQTT-3.1.2-22], as {@link Silence} has
 * it: whole packets count, and a large one that comes steadily does. A client that is not read from may say what it likes,
 * but has to read. One timer a connection, set anew when it fires, not with each packet. Thread: the connection's event loop.
 */
final class KeepAlive {
    private final EventExecutor executor;
    private final Silence silence;
    private final Runnable onSilence;
    private @Nullable ScheduledFuture<?> timer;
    private boolean on;

    KeepAlive(EventExecutor executor, WriteGate gate, Runnable onSilence) {
        this.executor = executor;
        this.silence = new Silence(gate, executor.ticker());
        this.onSilence = onSilence;
    }

    /** @param seconds 0 = off */
    void start(int seconds) {
        if (seconds > 0) {
            on = true;
            silence.begin(seconds * 1500L);
            arm();
        }
    }

    void onPackets() {
        if (on) {
            silence.onWhole();
        }
    }

    /** Parts of packets, or whole ones. */
    void onBytes(int count) {
        if (on) {
            silence.onBytes(count);
        }
    }

    void stop() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    private void arm() {
        timer = executor.schedule(this::look, silence.lookNanos(), TimeUnit.NANOSECONDS);
    }

    private void look() {
        if (silence.leftNanos() <= 0) {
            onSilence.run();
        } else {
            arm();
        }
    }
}
