package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.transport.Silence;
import io.mainstem.transport.WriteGate;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.jspecify.annotations.Nullable;

/**
 * Heartbeats both ways (AMQP 1.0 part 2, 2.4.5): sends empty frames when nothing else went for half of what the peer
 * allows, and closes a peer that gave no sign of life for the broker's own limit ({@link Silence}). Thread: the connection's event loop.
 */
final class IdleWatch {
    private static final long TICK_MS_MIN = 20;

    private final AmqpConnection connection;
    private final WriteGate gate;
    private final EventExecutor executor;
    private final Silence silence;
    private long lastWriteNanos;
    private long ownTimeoutMs;
    private long writeLimitNanos;
    private @Nullable ScheduledFuture<?> ticks;

    IdleWatch(AmqpConnection connection, WriteGate gate, EventExecutor executor) {
        this.connection = connection;
        this.gate = gate;
        this.executor = executor;
        this.silence = new Silence(gate, executor.ticker());
    }

    /**
     * Both sides have said what they want, or the peer has logged in and the broker waits for its open.
     *
     * @param peerTimeoutMs the peer gives up after so long; 0 = never
     */
    void start(long ownTimeoutMs, long peerTimeoutMs) {
        stop();
        this.ownTimeoutMs = ownTimeoutMs;
        silence.begin(ownTimeoutMs);
        writeLimitNanos = TimeUnit.MILLISECONDS.toNanos(peerTimeoutMs) / 2;
        lastWriteNanos = now();
        long shortest = peerTimeoutMs == 0 ? ownTimeoutMs : Math.min(ownTimeoutMs, peerTimeoutMs);
        // A quarter: a heartbeat due at half of the peer's limit then goes before three quarters of it.
        long tickMs = Math.max(TICK_MS_MIN, shortest / 4);
        ticks = executor.scheduleAtFixedRate(this::tick, tickMs, tickMs, TimeUnit.MILLISECONDS);
    }

    /** Whole frames have come. */
    void onFrames() {
        silence.onWhole();
    }

    void onBytes(int count) {
        silence.onBytes(count);
    }

    void onWrite() {
        lastWriteNanos = now();
    }

    void stop() {
        if (ticks != null) {
            ticks.cancel(false);
            ticks = null;
        }
    }

    private void tick() {
        long now = now();
        if (silence.leftNanos() < 0) {
            stop();
            connection.fail(AmqpException.connection(
                    AmqpError.RESOURCE_LIMIT_EXCEEDED,
                    "MS-0510 nothing " + (gate.isPaused() ? "was read by the peer" : "came") + " for " + ownTimeoutMs
                            + " ms"));
        } else if (writeLimitNanos > 0 && now - lastWriteNanos >= writeLimitNanos) {
            lastWriteNanos = now;
            if (connection.context().channel().isWritable()) {
                connection.output().heartbeat();
            }
        }
    }

    private long now() {
        return executor.ticker().nanoTime();
    }
}
