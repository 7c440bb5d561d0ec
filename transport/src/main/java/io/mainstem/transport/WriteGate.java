package io.mainstem.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Back-pressure of one socket, both ways. Heads ask {@link #open} before they encode deliveries, and hold them while it
 * is shut; they are woken by {@code channelWritabilityChanged}. Reading stops while any reason to pause it holds.
 *
 * <p>Thread: the connection's event loop.
 */
public final class WriteGate {
    /** Why nothing is read from the socket. */
    public enum Pause {
        /** The peer does not read what it asked for. */
        OUTPUT_CLOGGED,
        /** The broker cannot take more publishes. */
        BROKER_BLOCKED,
        /** The peer publishes more than it may. */
        RATE_EXCEEDED,
        /** What the peer asked for is so much work that the rest waits for it. */
        WORK_UNDER_WAY,
        /** The head is not ready for what follows the handshake. */
        SETTING_UP
    }

    private final Channel channel;
    private final long clogBytes;
    private int pauses;
    private long turnedNanos;
    /** What waited first for the socket when {@link #drains} was asked last, how much of it had gone, and how much waited. */
    private @Nullable Object waitingFirst;

    private long waitingProgress;
    private long waitingBytes;

    /** @param clogBytes bytes waiting for the socket from which on reading stops too; above the high water mark */
    public WriteGate(Channel channel, long clogBytes) {
        this.channel = channel;
        this.clogBytes = clogBytes;
        turned();
    }

    /**
     * True if deliveries may be encoded.
     *
     * @param heldBytes encoded by the head but not given to the channel yet
     */
    public boolean open(int heldBytes) {
        return channel.bytesBeforeUnwritable() > heldBytes;
    }

    /** Call after writes and on {@code channelWritabilityChanged}: a peer that asks without reading is not read from. */
    public void check() {
        if (channel.isWritable()) {
            resume(Pause.OUTPUT_CLOGGED);
        } else if (channel.bytesBeforeWritable() > clogBytes) {
            pause(Pause.OUTPUT_CLOGGED);
        }
    }

    /** Stops reading for this reason. Idempotent. */
    public void pause(Pause reason) {
        if (pauses == 0) {
            turned();
        }
        pauses |= bit(reason);
        channel.config().setAutoRead(false);
    }

    /** Takes the reason away; reads again if there is no other. Idempotent. */
    public void resume(Pause reason) {
        if (pauses == 0) {
            return;
        }
        pauses &= ~bit(reason);
        if (pauses == 0) {
            turned();
            channel.config().setAutoRead(true);
        }
    }

    /** True while nothing is read. */
    public boolean isPaused() {
        return pauses != 0;
    }

    /** When reading was paused or taken up again last, by the ticker of the event loop. */
    long turnedNanos() {
        return turnedNanos;
    }

    private void turned() {
        turnedNanos = channel.eventLoop().ticker().nanoTime();
    }

    /** True if the peer reads: nothing waits for the socket, or some of it has gone since this was asked last. */
    boolean drains() {
        ChannelOutboundBuffer waiting = channel.unsafe().outboundBuffer();
        if (waiting == null || waiting.isEmpty()) {
            waitingFirst = null;
            return true;
        }
        Object first = waiting.current();
        long progress = waiting.currentProgress();
        long bytes = waiting.totalPendingWriteBytes();
        boolean gone = first != waitingFirst || progress != waitingProgress || bytes < waitingBytes;
        waitingFirst = first;
        waitingProgress = progress;
        waitingBytes = bytes;
        return gone;
    }

    private static int bit(Pause reason) {
        return switch (reason) {
            case OUTPUT_CLOGGED -> 1;
            case BROKER_BLOCKED -> 2;
            case SETTING_UP -> 4;
            case RATE_EXCEEDED -> 8;
            case WORK_UNDER_WAY -> 16;
        };
    }
}
