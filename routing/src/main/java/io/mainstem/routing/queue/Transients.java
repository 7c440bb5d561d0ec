package io.mainstem.routing.queue;

import io.mainstem.store.Route;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All non-durable messages of one queue: a lane per priority, made when needed, and the bytes they take. Thread: shard
 * only.
 */
final class Transients {
    private final @Nullable TransientLane[] lanes = new TransientLane[Route.LANES_MAX];
    private long bytes;
    private int unsettled;
    private List<ShardPeer> heldBack = List.of();

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

    /** The session waits until this queue has room again; false if it does already. */
    boolean holdBack(ShardPeer session) {
        if (heldBack.isEmpty()) {
            heldBack = new ArrayList<>(2);
        }
        return !heldBack.contains(session) && heldBack.add(session);
    }

    /** Those that waited; they are forgotten. */
    List<ShardPeer> takeHeldBack() {
        List<ShardPeer> sessions = heldBack;
        heldBack = List.of();
        return sessions;
    }
}
