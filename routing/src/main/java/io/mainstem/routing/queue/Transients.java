package io.mainstem.routing.queue;

import io.mainstem.store.Route;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * All non-durable messages of one queue: a lane per priority, made when needed, and the bytes they take. Thread: shard
 * only.
 */
final class Transients {
    private final @Nullable TransientLane[] lanes = new TransientLane[Route.LANES_MAX];
    private long bytes;
    private int unsettled;
    private final Set<ShardPeer> heldBack = new LinkedHashSet<>(2);

    void add(TransientMessage message) {
        lane(message.priority).add(message);
        bytes += message.bytes();
        unsettled++;
    }

    /** The lane, or null if it was never used. */
    @Nullable
    TransientLane laneIfAny(int priority) {
        return lanes[priority];
    }

    TransientLane lane(int priority) {
        TransientLane lane = lanes[priority];
        if (lane == null) {
            lane = new TransientLane();
            lanes[priority] = lane;
        }
        return lane;
    }

    /** The message, taken before, is gone for good. */
    void settled(TransientMessage message) {
        bytes -= message.bytes();
        unsettled--;
    }

    /** Bytes of everything ready or in flight. */
    long bytes() {
        return bytes;
    }

    int unsettled() {
        return unsettled;
    }

    long ready() {
        long ready = 0;
        for (TransientLane lane : lanes) {
            ready += lane == null ? 0 : lane.ready();
        }
        return ready;
    }

    /** Sessions that wait until this queue has room again. */
    Set<ShardPeer> heldBack() {
        return heldBack;
    }
}
