package io.mainstem.store.shard;

import io.mainstem.store.Entry;
import io.mainstem.store.Lane;
import io.mainstem.store.view.LaneSnapshot;
import io.mainstem.store.view.Lanes;
import io.mainstem.store.view.LostBlock;
import io.mainstem.store.view.ViewFiles;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Finds the entries of damaged blocks again in the log, in which each unsettled message still is. If as many are found as
 * the block had entries, it is known which of them wait; else all that are found are delivered again. Thread: one.
 */
final class SalvagedBlocks {
    private static final int BLOCK_ENTRIES = 127;

    private final Lanes lanes;
    private final ViewFiles view;
    private final long endLsn;
    private final Map<Long, TreeMap<Long, LaneSnapshot.Unread>> unread = new HashMap<>();
    /** Entries appended to lanes with damaged blocks, by the LSN of the record that appended them. */
    private final Map<Long, TreeMap<Long, Entry>> found = new HashMap<>();

    SalvagedBlocks(Lanes lanes, ViewFiles view, long endLsn) {
        this.lanes = lanes;
        this.view = view;
        this.endLsn = endLsn;
        for (long laneId : lanes.ids()) {
            LaneSnapshot lane = lanes.snapshot(laneId, 0, Long.MAX_VALUE);
            if (lane != null) {
                lane.forEachUnsettled(
                        view,
                        entry -> {},
                        block -> unread.computeIfAbsent(laneId, id -> new TreeMap<>())
                                .put(block.firstIndex(), block));
            }
        }
    }

    /** True if records before the checkpoint are of use. */
    boolean wanted() {
        return !unread.isEmpty();
    }

    /** A record appended this to a lane. */
    void found(long laneId, Entry entry, long lsn) {
        if (unread.containsKey(laneId)) {
            found.computeIfAbsent(laneId, id -> new TreeMap<>()).put(lsn, entry);
        }
    }

    /** Puts all entries of the lanes concerned, found ones in their place, behind what was there. */
    void repair(Map<Long, Long> lostByQueue, Map<Long, Long> againByQueue) {
        unread.forEach((laneId, blocks) -> {
            Lane lane = lanes.lane(laneId);
            LaneSnapshot snapshot = lane == null ? null : lanes.snapshot(laneId, 0, Long.MAX_VALUE);
            if (lane != null && snapshot != null) {
                TreeMap<Long, Entry> sound = new TreeMap<>();
                snapshot.forEachUnsettled(view, entry -> sound.put(entry.index(), entry), block -> {});
                TreeMap<Long, Entry> inLog = found.getOrDefault(laneId, new TreeMap<>());
                List<Entry> all = new ArrayList<>();
                long from = 0;
                long doneLsn = 0;
                for (LaneSnapshot.Unread unreadable : blocks.values()) {
                    LostBlock block = lanes.blocks().lost(unreadable);
                    if (block == null) {
                        continue; // settled by what came behind the checkpoint
                    }
                    long first = block.firstIndex();
                    all.addAll(sound.subMap(from, first).values());
                    from = first + BLOCK_ENTRIES;
                    long low = Math.max(doneLsn, block.range().fromLsn());
                    doneLsn = Math.max(low, block.range().toLsn());
                    List<Entry> between =
                            new ArrayList<>(inLog.subMap(low, doneLsn).values());
                    all.addAll(waiting(lane, first, between, lostByQueue));
                    againByQueue.merge(laneId >>> 8, (long) between.size(), Long::sum);
                }
                all.addAll(sound.tailMap(from).values());
                lanes.replaceAll(laneId, all, endLsn);
            }
        });
    }

    private static List<Entry> waiting(Lane lane, long first, List<Entry> between, Map<Long, Long> lostByQueue) {
        long unsettled = 0;
        List<Entry> those = new ArrayList<>();
        for (int slot = 0; slot < BLOCK_ENTRIES; slot++) {
            if (!lane.cursor().settled(first + slot)) {
                unsettled++;
                if (between.size() == BLOCK_ENTRIES) {
                    those.add(between.get(slot));
                }
            }
        }
        if (between.size() < unsettled) {
            lostByQueue.merge(lane.laneId() >>> 8, unsettled - between.size(), Long::sum);
        }
        return between.size() == BLOCK_ENTRIES ? those : between;
    }
}
