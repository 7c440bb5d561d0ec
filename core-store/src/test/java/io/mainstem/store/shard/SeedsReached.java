package io.mainstem.store.shard;

import io.mainstem.store.StoreState;
import io.mainstem.store.files.SimDisk;
import io.mainstem.store.segment.CommitLog.SegmentInfo;
import io.mainstem.store.segment.SteppedLog;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** What seeds came across, so that a simulation that no longer reaches anything is noticed. */
final class SeedsReached {
    boolean segmentRecycled;
    boolean viewFileRecycled;
    boolean blocksLive;
    boolean largeMessage;
    boolean diskCritical;
    boolean failed;
    boolean olderCheckpoint;
    boolean compacted;
    boolean merged;
    boolean compactedAgain;
    boolean blocksMoved;
    boolean damagedInCompacted;
    boolean damagedWhileRunning;
    boolean damagedWhileStopped;
    boolean longLane;
    boolean lossRefused;
    boolean lossMended;
    final Set<FileLoss.Deed> losses = EnumSet.noneOf(FileLoss.Deed.class);

    void look(SimStore sim, SimDisk disk, LongLanes begin) {
        StoreState state = sim.store().state();
        diskCritical |= state == StoreState.DISK_CRITICAL;
        failed |= state == StoreState.FAILED;
        segmentRecycled |= sim.store().parts().log().startLsn() > 0;
        blocksMoved |= sim.store().blocksMoved() > 0;
        sim.store().lanes().forEach(lane -> longLane |= begin.passed(lane.laneId(), lane.nextIndex()));
        blocksLive |= !sim.store().parts().view().liveBlocks().isEmpty();
        for (SegmentInfo segment : sim.store().parts().log().segments()) {
            boolean several =
                    segment.endLsn() - segment.baseLsn() > SimStore.config().segmentBytes();
            compacted |= segment.generation() > 0;
            compactedAgain |= segment.generation() > 1;
            merged |= segment.generation() > 0 && several;
        }
        List<String> files = disk.list(SteppedLog.FOLDER.resolve("view"));
        viewFileRecycled |= !files.isEmpty() && !files.get(0).startsWith("00000000000000000001");
    }

    boolean everything() {
        return segmentRecycled
                && viewFileRecycled
                && blocksLive
                && largeMessage
                && diskCritical
                && failed
                && olderCheckpoint
                && compacted
                && compactedAgain
                && merged
                && blocksMoved
                && damagedInCompacted
                && damagedWhileRunning
                && damagedWhileStopped
                && longLane
                && lossRefused
                && lossMended
                && losses.size() == FileLoss.Deed.values().length;
    }

    @Override
    public String toString() {
        return "segmentRecycled=" + segmentRecycled + " viewFileRecycled=" + viewFileRecycled + " blocksLive="
                + blocksLive + " largeMessage=" + largeMessage + " diskCritical=" + diskCritical + " failed="
                + failed
                + " olderCheckpoint=" + olderCheckpoint + " compacted=" + compacted + " compactedAgain="
                + compactedAgain + " merged=" + merged + " blocksMoved=" + blocksMoved + " damagedInCompacted="
                + damagedInCompacted
                + " damagedWhileRunning=" + damagedWhileRunning + " damagedWhileStopped=" + damagedWhileStopped
                + " longLane=" + longLane + " lossRefused=" + lossRefused + " lossMended=" + lossMended
                + " losses=" + losses;
    }
}
