package io.mainstem.store.shard;

import io.mainstem.store.Entry;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreException;
import io.mainstem.store.segment.CommitLog.LsnRange;
import io.mainstem.store.segment.CommitLog.SegmentInfo;
import io.mainstem.store.view.LaneSnapshot;
import io.mainstem.store.view.Lanes;
import io.mainstem.store.view.ViewFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Looks, when a store is opened, whether a file of the log, or the end of one, is missing that waiting messages need. The counters of the
 * lanes tell in no time that all is there; only if it seems not, entries are read.
 *
 * <p>Thread: the opening one; may block.
 */
final class MissingSegments {
    /** No record is longer: one that begins so far before a cut may reach into it. */
    private static final long RECORD_BYTES_MAX = 2 << 20;

    private static final int HEADER_BYTES = 32;

    private final StoreConfig config;
    private final List<SegmentInfo> segments;
    private final Lanes lanes;
    private final ViewFiles view;
    private final Predicate<Entry> damaged;
    private final Map<Long, Integer> needed = new TreeMap<>();
    private long messages;
    private long queueId;

    /**
     * @param segments ascending
     * @param damaged true if the log does not have all of a message; asked only where the entry does not tell
     */
    MissingSegments(
            StoreConfig config, List<SegmentInfo> segments, Lanes lanes, ViewFiles view, Predicate<Entry> damaged) {
        this.config = config;
        this.segments = List.copyOf(segments);
        this.lanes = lanes;
        this.view = view;
        this.damaged = damaged;
    }

    /** @throws StoreException MS-0250 if one is missing */
    void check() {
        String problem = problem();
        if (problem != null) {
            throw new StoreException(
                    "MS-0250",
                    problem,
                    "put the file back, or the compacted one (.gNNNN) with a lower number if that is what was there;"
                            + " 'mainstem store salvage' makes a store of what is left.");
        }
    }

    /** What is missing, one sentence, or null. */
    @Nullable
    String problem() {
        for (LsnRange range : absent()) {
            for (long laneId : lanes.ids()) {
                LaneSnapshot lane = lanes.snapshot(laneId, reachesFrom(range), range.to());
                if (lane != null) {
                    lane.forEachUnsettled(view, entry -> count(range, laneId, entry), unread -> {});
                }
            }
        }
        return needed.isEmpty()
                ? null
                : "The log in " + config.directory().resolve("log") + " has no file for " + files()
                        + " any more, or one that has been cut, which " + messages
                        + " waiting messages need, of queue id " + queueId
                        + (messages > 1 ? " and maybe others." : ".");
    }

    /** Parts of segments that something refers to and that no file holds. */
    private List<LsnRange> absent() {
        List<LsnRange> absent = new ArrayList<>();
        int[] at = {0};
        // Both ascend.
        lanes.totals().forEach((segment, refs, bytes) -> {
            long from = segment * config.segmentBytes();
            long to = from + config.segmentBytes();
            while (at[0] < segments.size() && segments.get(at[0]).endLsn() <= from) {
                at[0]++;
            }
            if (at[0] == segments.size() || segments.get(at[0]).baseLsn() > from) {
                absent.add(new LsnRange(from, to));
            } else if (segments.get(at[0]).sealed() && segments.get(at[0]).wholeTo() < to) {
                absent.add(new LsnRange(Math.max(from, segments.get(at[0]).wholeTo()), to));
            }
        });
        return absent;
    }

    /** Where records begin that may reach into the range, in its segment. */
    private long reachesFrom(LsnRange range) {
        long segment = range.from() - range.from() % config.segmentBytes();
        return Math.max(segment, range.from() - RECORD_BYTES_MAX);
    }

    private void count(LsnRange range, long laneId, Entry entry) {
        if (needs(entry, range)) {
            needed.merge(range.from() / config.segmentBytes() * config.segmentBytes(), 1, Integer::sum);
            messages++;
            queueId = queueId == 0 ? laneId >>> 8 : queueId;
        }
    }

    private boolean needs(Entry entry, LsnRange range) {
        return lies(entry.lsn(), range)
                || (entry.isRef() && lies(entry.aux(), range))
                || (mayNeed(entry, range) && damaged.test(entry));
    }

    private static boolean lies(long lsn, LsnRange range) {
        return lsn >= range.from() && lsn < range.to();
    }

    /** A record may reach into the range from before it, and a large message may have parts in it. */
    private boolean mayNeed(Entry entry, LsnRange range) {
        boolean reaches = entry.lsn() < range.from() && entry.lsn() + HEADER_BYTES + entry.size() > range.from();
        boolean referenceMay = entry.isRef() && entry.aux() < range.from() && entry.aux() >= reachesFrom(range);
        boolean partsMay =
                entry.isLarge() && entry.lsn() >= range.to() && entry.firstUnit() * Entry.UNIT_BYTES < range.to();
        return reaches || referenceMay || partsMay;
    }

    private String files() {
        List<String> names = new ArrayList<>();
        needed.forEach((base, count) -> names.add(String.format("%020d", base)));
        int shown = Math.min(3, names.size());
        return String.join(", ", names.subList(0, shown)) + (names.size() > shown ? " and more" : "");
    }
}
