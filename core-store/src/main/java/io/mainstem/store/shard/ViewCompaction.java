package io.mainstem.store.shard;

import io.mainstem.store.files.Throttle;
import io.mainstem.store.view.BlockMove;
import io.mainstem.store.view.LaneSnapshot;
import io.mainstem.store.view.Lanes;
import io.mainstem.store.view.ViewFiles;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.HashSet;
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
    /** Of a lane, or of this many blocks of one. */
    private static final int SLICE_LOOKS = 2000;

    private static final int SLICE_BLOCKS = 128;
    private static final int BLOCK_BYTES = 4096;

    private final Lanes lanes;
    private final ViewFiles view;
    private final Executor background;
    private final Consumer<Runnable> shard;
    private final Throttle throttle;
    private final long checkMs;
    /** Files with blocks that are damaged and cannot be found again: looked at again after the next start. */
    private final Set<Long> leftAlone = new HashSet<>();

    private Set<Long> files = Set.of();
    private long[] laneIds = {};
    private int nextLane;
    private long nextIndex;
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
        if (!view.writable()) {
            endRound();
            return false;
        }
        List<BlockMove> some = new ArrayList<>();
        for (int looks = 0; looks < SLICE_LOOKS && some.size() < SLICE_BLOCKS && nextLane < laneIds.length; looks++) {
            nextIndex = lanes.blocks().blocksIn(files, laneIds[nextLane], nextIndex, SLICE_BLOCKS, some::add);
            if (nextIndex < 0) {
                nextIndex = 0;
                nextLane++;
            }
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
        files = new HashSet<>(view.sparse());
        files.removeAll(leftAlone);
        laneIds = files.isEmpty() ? new long[0] : lanes.ids();
        nextLane = 0;
        nextIndex = 0;
        return laneIds.length > 0;
    }

    private void endRound() {
        laneIds = new long[0];
        nextLane = 0;
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
            sound.forEach(this::move);
            if (bad.isEmpty()) {
                moving = false;
            } else {
                // One at a time: each may read much of the log, and consumers read too.
                LaneSnapshot.Unread first = bad.get(0);
                lanes.blocks().mend(first, () -> mended(first));
            }
        });
    }

    private void move(BlockMove block) {
        // What cannot be written stays in memory, which ends the store when there is too much of it.
        if (view.writable()) {
            lanes.blocks().move(block);
            moved++;
        }
    }

    /** That has been tried; one that was mended stands elsewhere now. */
    private void mended(LaneSnapshot.Unread block) {
        moving = false;
        if (lanes.blocks().lost(block) != null) {
            leftAlone.add(ViewFiles.fileNumber(block.position()));
        }
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
