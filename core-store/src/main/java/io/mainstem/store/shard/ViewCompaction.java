package io.mainstem.store.shard;

import io.mainstem.store.files.Throttle;
import io.mainstem.store.view.BlockMove;
import io.mainstem.store.view.LaneSnapshot;
import io.mainstem.store.view.Lanes;
import io.mainstem.store.view.ViewFiles;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Writes the blocks that are left in sparse files of consume queues elsewhere, so that a message that waits for ever keeps its
 * block and not a whole file (ADR 0058). The file goes when no kept checkpoint points into it any more.
 *
 * <p>Thread: shard, except what the executor runs.
 */
final class ViewCompaction {
    private static final long CHECK_MS = 10_000;
    private static final int SLICE_LANES = 2000;
    private static final int SLICE_BLOCKS = 256;
    private static final int BLOCK_BYTES = 4096;

    private final Lanes lanes;
    private final ViewFiles view;
    private final Executor background;
    private final Consumer<Runnable> shard;
    private final Throttle throttle;
    private final long checkMs;
    private Set<Long> files = Set.of();
    private long[] laneIds = {};
    private int nextLane;
    private boolean moving;
    private long notBeforeMs;
    private long moved;

    /**
     * Idle.
     *
     * @param checkpointMs how often checkpoints are taken: files cannot go any faster
     */
    ViewCompaction(LaneSweep.Parts parts, long checkpointMs) {
        this.checkMs = Math.min(CHECK_MS, checkpointMs);
        this.lanes = parts.lanes();
        this.view = parts.view();
        this.background = parts.background();
        this.shard = parts.shard();
        this.throttle = parts.throttle();
    }

    /** A step of work; true if there is more to do now. */
    boolean slice(long nowMs) {
        if (moving) {
            return false;
        }
        if (nextLane == laneIds.length) {
            return begin(nowMs);
        }
        List<BlockMove> some = new ArrayList<>();
        int end = Math.min(laneIds.length, nextLane + SLICE_LANES);
        while (nextLane < end && some.size() < SLICE_BLOCKS) {
            lanes.blocks().forEachBlockIn(files, laneIds[nextLane++], some::add);
        }
        if (!some.isEmpty()) {
            moving = true;
            background.execute(() -> read(some));
        }
        return some.isEmpty();
    }

    private boolean begin(long nowMs) {
        if (nowMs - notBeforeMs < 0) {
            return false;
        }
        notBeforeMs = nowMs + checkMs;
        files = view.sparse();
        laneIds = files.isEmpty() ? new long[0] : lanes.ids();
        nextLane = 0;
        return laneIds.length > 0;
    }

    private void read(List<BlockMove> some) {
        List<BlockMove> sound = new ArrayList<>();
        List<LaneSnapshot.Unread> bad = new ArrayList<>();
        for (BlockMove block : some) {
            try {
                throttle.take(2 * BLOCK_BYTES);
                sound.add(block.read(view));
            } catch (InterruptedIOException e) {
                return; // the store is being closed
            } catch (IOException | IllegalStateException e) {
                bad.add(block.unread(String.valueOf(e.getMessage())));
            }
        }
        shard.accept(() -> {
            sound.forEach(lanes.blocks()::move);
            bad.forEach(block -> lanes.blocks().mend(block, () -> {}));
            moved += sound.size();
            moving = false;
        });
    }

    /** True if no blocks are looked for or moved. */
    boolean idle() {
        return !moving && nextLane == laneIds.length;
    }

    /** Lets what is under way end soon. */
    void stop() {
        throttle.cancel();
    }

    /** Blocks written elsewhere since the start. */
    long moved() {
        return moved;
    }
}
