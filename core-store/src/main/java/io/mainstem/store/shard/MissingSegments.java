package io.mainstem.store.shard;

import io.mainstem.store.Entry;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreException;
import io.mainstem.store.segment.CommitLog;
import io.mainstem.store.segment.CommitLog.SegmentInfo;
import io.mainstem.store.view.LaneSnapshot;
import io.mainstem.store.view.Lanes;
import io.mainstem.store.view.ViewFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Looks, when a store is opened, whether a file of the log is missing that waiting messages need. The counters of the
 * lanes tell in no time that all is there; only if it seems not, entries are read.
 *
 * <p>Thread: the opening one; may block.
 */
final class MissingSegments {
    private final StoreConfig config;
    private final CommitLog log;
    private final Lanes lanes;
    private final ViewFiles view;
    private final Map<Long, Integer> needed = new TreeMap<>();
    private long messages;
    private long queueId;

    MissingSegments(StoreConfig config, CommitLog log, Lanes lanes, ViewFiles view) {
        this.config = config;
        this.log = log;
        this.lanes = lanes;
        this.view = view;
    }

    /** @throws StoreException MS-0250 if one is missing */
    void check() {
        List<Long> absent = absent();
        if (absent.isEmpty()) {
            return;
        }
        for (long segment : absent) {
            long from = segment * config.segmentBytes();
            for (long laneId : lanes.ids()) {
                LaneSnapshot lane = lanes.snapshot(laneId, from, from + config.segmentBytes());
                if (lane != null) {
                    lane.forEachUnsettled(view, entry -> count(segment, laneId, entry), unread -> {});
                }
            }
        }
        if (!needed.isEmpty()) {
            throw new StoreException(
                    "MS-0250",
                    "The log in " + config.directory().resolve("log") + " has no file for " + files()
                            + " any more, which "
                            + messages + " waiting messages need, of queue id " + queueId
                            + (messages > 1 ? " and maybe others." : "."),
                    "put the file back, or the compacted one (.gNNNN) with a lower number if that is what was there;"
                            + " 'mainstem store salvage' makes a store of what is left.");
        }
    }

    private List<Long> absent() {
        List<SegmentInfo> segments = log.segments();
        List<Long> absent = new ArrayList<>();
        int[] at = {0};
        // Both ascend.
        lanes.totals().forEach((segment, refs, bytes) -> {
            long lsn = segment * config.segmentBytes();
            while (at[0] < segments.size() && segments.get(at[0]).endLsn() <= lsn) {
                at[0]++;
            }
            if (at[0] == segments.size() || segments.get(at[0]).baseLsn() > lsn) {
                absent.add(segment);
            }
        });
        return absent;
    }

    private void count(long segment, long laneId, Entry entry) {
        long from = segment * config.segmentBytes();
        long to = from + config.segmentBytes();
        if (needs(entry, from, to)) {
            needed.merge(from, 1, Integer::sum);
            messages++;
            queueId = queueId == 0 ? laneId >>> 8 : queueId;
        }
    }

    private static boolean needs(Entry entry, long from, long to) {
        if ((entry.lsn() >= from && entry.lsn() < to) || (entry.isRef() && entry.aux() >= from && entry.aux() < to)) {
            return true;
        }
        // A large message's counters reach up to one step before its first part, maybe into a segment that has gone.
        long partsFrom = (entry.firstUnit() + Entry.PART_STEP_UNITS) * Entry.UNIT_BYTES;
        return entry.isLarge() && entry.lsn() >= to && to >= partsFrom;
    }

    private String files() {
        List<String> names = new ArrayList<>();
        needed.forEach((base, count) -> names.add(String.format("%020d", base)));
        int shown = Math.min(3, names.size());
        return String.join(", ", names.subList(0, shown)) + (names.size() > shown ? " and more" : "");
    }
}
