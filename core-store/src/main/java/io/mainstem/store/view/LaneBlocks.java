package io.mainstem.store.view;

import io.mainstem.store.StoreException;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What is done to the blocks of lanes on disk beside reading them: damaged ones are mended, those in sparse files moved.
 *
 * <p>Thread: shard only.
 */
public final class LaneBlocks {
    private final Map<Long, LaneView> lanes;
    private final BlockLoader loader;

    LaneBlocks(Map<Long, LaneView> lanes, BlockLoader loader) {
        this.lanes = lanes;
        this.loader = loader;
    }

    /** Blocks that cannot be read are found again so; without, reading one fails as {@link Lanes#finishReads} says. */
    public void repairWith(BlockRepair how) {
        loader.repairWith(how);
    }

    /** A block's entries have been found. */
    public void rebuilt(LostBlock block, long[] words) {
        LaneView lane = lanes.get(block.laneId());
        if (lane != null) {
            lane.rebuilt(block.firstIndex(), block.position(), words);
        }
        loader.repaired(block.position());
    }

    /**
     * A block's entries cannot be found for certain.
     *
     * @return true if it has entries that are not settled, though nobody waits for them now
     * @throws StoreException MS-0243 if somebody does
     */
    public boolean notRebuilt(LostBlock block) {
        LaneView lane = lanes.get(block.laneId());
        boolean held = lane != null && lane.holds(block.firstIndex(), block.position());
        if (held && loader.needed(block.position())) {
            throw BlockLoader.unreadable(new IOException(block.problem()));
        }
        loader.repaired(block.position());
        return held;
    }

    /** A block's entries could not be looked for this time: whoever waits for it goes on to wait, and it is tried again. */
    public void notRebuiltYet(LostBlock block) {
        LaneView lane = lanes.get(block.laneId());
        if (lane != null && lane.holds(block.firstIndex(), block.position()) && loader.needed(block.position())) {
            loader.notRebuiltYet(lane, block.firstIndex(), block.position(), block.problem());
        } else {
            loader.repaired(block.position());
        }
    }

    /** Tries again to read what could not be read; to be called about once a second. */
    public void retry() {
        loader.retry();
    }

    /**
     * Has a block looked after that some background work could not read: it is mended if it is damaged and that can be done.
     *
     * @param then run later, when that has ended
     */
    public void mend(LaneSnapshot.Unread block, Runnable then) {
        LaneView lane = lanes.get(block.laneId());
        if (lane != null && lane.holds(block.firstIndex(), block.position())) {
            loader.mend(lane, block, then);
        } else {
            loader.run(then);
        }
    }

    /** What is known of a block that cannot be read; null if nobody needs it any more. */
    public @Nullable LostBlock lost(LaneSnapshot.Unread block) {
        LaneView lane = lanes.get(block.laneId());
        return lane == null || !lane.holds(block.firstIndex(), block.position())
                ? null
                : lane.lost(block.firstIndex(), block.position(), block.problem());
    }

    /**
     * Tells the blocks of a lane that lie in these files.
     *
     * @param fromIndex where to begin in the lane
     * @param blocksMax so many are looked at
     * @return from which index on there is more to look at, or -1
     */
    public long blocksIn(Set<Long> files, long laneId, long fromIndex, int blocksMax, Consumer<BlockMove> to) {
        LaneView lane = lanes.get(laneId);
        return lane == null ? -1 : lane.blocksIn(files, fromIndex, blocksMax, to);
    }

    /** Writes a block elsewhere, unless it has been given up or moved since. */
    public void move(BlockMove block) {
        LaneView lane = lanes.get(block.laneId());
        if (lane != null && block.words() != null) {
            lane.rebuilt(block.firstIndex(), block.position(), block.words());
        }
    }

    /** True if a lane has a block that begins there, with at least one entry that is not settled. */
    public boolean holdsBlock(long laneId, long firstIndex) {
        LaneView lane = lanes.get(laneId);
        return lane != null && lane.holdsBlock(firstIndex);
    }
}
