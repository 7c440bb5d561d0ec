package io.mainstem.routing.queue;

import io.mainstem.store.Route;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All non-durable messages of one queue: a lane per priority, made when needed, and what they take. Thread: shard only.
 */
final class Transients {
    private final MessageQueue queue;
    private final long chunkBytes;
    private final @Nullable TransientLane[] lanes = new TransientLane[Route.LANES_MAX];
    private final Set<ShardPeer> heldBack = new LinkedHashSet<>(2);
    private long bytes;
    private long residentBytes;
    private long writingBytes;
    private long unsettled;
    private boolean dropped;

    /** Kept by {@link TransientEviction}: a consumer has taken something lately. */
    boolean used;
    /** Kept by {@link TransientBudget}: what was dropped because there was no room, and when that was last told. */
    long lost;

    long toldMs = Long.MIN_VALUE;

    /** @param chunkBytes a chunk takes no more messages from there on */
    Transients(MessageQueue queue, long chunkBytes) {
        this.queue = queue;
        this.chunkBytes = chunkBytes;
    }

    MessageQueue queue() {
        return queue;
    }

    long chunkBytes() {
        return chunkBytes;
    }

    /** The lane, or null if it was never used. */
    @Nullable
    TransientLane laneIfAny(int priority) {
        return lanes[priority];
    }

    TransientLane lane(int priority) {
        TransientLane lane = lanes[priority];
        if (lane == null) {
            lane = new TransientLane(this, priority);
            lanes[priority] = lane;
        }
        return lane;
    }

    /** Those that were used, lowest priority first. */
    List<TransientLane> lanes() {
        List<TransientLane> used = new ArrayList<>(1);
        for (TransientLane lane : lanes) {
            if (lane != null) {
                used.add(lane);
            }
        }
        return used;
    }

    /** So many messages more, or fewer. */
    void count(long messages, long theirBytes) {
        unsettled += messages;
        bytes += theirBytes;
    }

    /** Bytes of everything ready or in flight, wherever it is. */
    long bytes() {
        return bytes;
    }

    /** What of it is in memory. */
    long residentBytes() {
        return residentBytes;
    }

    void resident(long delta) {
        residentBytes += delta;
    }

    /** What of that is on its way to disk. */
    long writingBytes() {
        return writingBytes;
    }

    void writing(long delta) {
        writingBytes += delta;
    }

    long unsettled() {
        return unsettled;
    }

    long ready() {
        long ready = 0;
        for (TransientLane lane : lanes) {
            ready += lane == null ? 0 : lane.ready();
        }
        return ready;
    }

    /** The queue is gone, or was emptied as a whole. */
    boolean dropped() {
        return dropped;
    }

    void drop() {
        dropped = true;
    }

    /** Sessions that wait until this queue has room again. */
    Set<ShardPeer> heldBack() {
        return heldBack;
    }
}
