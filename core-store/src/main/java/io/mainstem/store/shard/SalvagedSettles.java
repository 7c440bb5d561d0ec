package io.mainstem.store.shard;

import io.mainstem.store.Entry;
import io.mainstem.store.Frames;
import io.mainstem.store.Lane;
import io.mainstem.store.RecordBody;
import io.mainstem.store.RecordBody.SettledRanges;
import io.mainstem.store.RecordType;
import io.mainstem.store.Settlement;
import io.mainstem.store.StoreException;
import io.mainstem.store.view.Lanes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds which entries the SETTLE records behind a gap in the log meant. A message that is missing shifts all entries of its
 * lane behind it by one, by how much nobody knows at first; but each range of a SETTLE says of which record its first entry
 * was ({@link Entry#lsnCheck}), and what holds for one entry behind a gap holds for all up to the next gap.
 *
 * <p>What cannot be matched stays unsettled: it is delivered again. Thread: one.
 */
final class SalvagedSettles {
    private static final int AT_A_TIME = 10_000;
    private static final long UNKNOWN = -1;

    private final Lanes lanes;
    private final Map<Long, Shifts> shifts = new HashMap<>();
    private final List<Meant> meant = new ArrayList<>();
    private int gaps;

    SalvagedSettles(Lanes lanes) {
        this.lanes = lanes;
    }

    private record Meant(SettledRanges ranges, long lsn) {}

    /** Between two gaps: where the lane's entries begin, and by how much their indexes are too low. */
    private static final class Stretch {
        private final long first;
        private long shift = UNKNOWN;

        private Stretch(long first) {
            this.first = first;
        }
    }

    /** Of one lane. */
    private static final class Shifts {
        private final List<Stretch> stretches = new ArrayList<>();
        private final Map<Integer, Long> indexByCheck = new HashMap<>();
        private int gaps;
    }

    /** Records may be missing here. */
    void gap() {
        gaps++;
    }

    boolean anyGap() {
        return gaps > 0;
    }

    /** The lane is about to get this entry. */
    void appending(long laneId, Entry entry, long lsn) {
        if (gaps == 0 || lsn <= lanes.coveredTo(laneId)) {
            return; // what is missing was part of the checkpoint
        }
        Lane lane = lanes.lane(laneId);
        long index = lane == null ? 0 : lane.nextIndex();
        Shifts its = shifts.computeIfAbsent(laneId, id -> new Shifts());
        if (its.gaps < gaps) {
            its.gaps = gaps;
            its.stretches.add(new Stretch(index));
        }
        its.indexByCheck.put(entry.lsnCheck(), index);
    }

    /** Kept until all entries are there. */
    void add(RecordBody.Settle settle, long lsn) {
        settle.lanes().forEach(ranges -> meant.add(new Meant(ranges, lsn)));
    }

    /** Settles what can be matched; returns how many settled entries were not. */
    long apply(long lsn) {
        meant.removeIf(
                each -> lanes.lane(each.ranges.laneId()) == null || each.lsn <= lanes.coveredTo(each.ranges.laneId()));
        meant.forEach(this::learn);
        long unmatched = 0;
        for (Meant each : meant) {
            unmatched += apply(each.ranges, lsn);
        }
        return unmatched;
    }

    private void learn(Meant each) {
        Shifts its = shifts.get(each.ranges.laneId());
        for (int i = 0; its != null && i < each.ranges.first().length; i++) {
            Long index = its.indexByCheck.get(each.ranges.lsnCheck()[i]);
            long shift = index == null ? UNKNOWN : each.ranges.first()[i] - index;
            if (index != null && shift >= 0) {
                for (Stretch stretch : its.stretches) {
                    if (stretch.first <= index && index < endOf(each.ranges.laneId(), its, stretch)) {
                        stretch.shift = shift;
                    }
                }
            }
        }
    }

    private long endOf(long laneId, Shifts its, Stretch stretch) {
        int next = its.stretches.indexOf(stretch) + 1;
        Lane lane = lanes.lane(laneId);
        return next < its.stretches.size() ? its.stretches.get(next).first : lane == null ? 0 : lane.nextIndex();
    }

    private long apply(SettledRanges ranges, long lsn) {
        long laneId = ranges.laneId();
        Lane lane = lanes.lane(laneId);
        if (lane == null) {
            return 0;
        }
        long unmatched = 0;
        List<Settlement> settled = new ArrayList<>();
        for (int i = 0; i < ranges.first().length; i++) {
            long first = ranges.first()[i];
            for (long meantIndex = first; meantIndex < first + ranges.count()[i]; meantIndex++) {
                long index = indexOf(lane, meantIndex);
                if (index < 0) {
                    unmatched++;
                } else if (index >= lane.firstIndex() && !lane.cursor().settled(index)) {
                    Entry entry = entryOrNull(laneId, index);
                    if (entry == null) {
                        unmatched++;
                        continue;
                    }
                    if (meantIndex == first && entry.lsnCheck() != ranges.lsnCheck()[i]) {
                        unmatched += ranges.count()[i];
                        break;
                    }
                    settled.add(new Settlement(laneId, entry, ranges.kind()));
                }
                if (settled.size() == AT_A_TIME) {
                    settle(settled, lsn);
                }
            }
        }
        settle(settled, lsn);
        return unmatched;
    }

    /** Null if its block is damaged. */
    private @Nullable Entry entryOrNull(long laneId, long index) {
        try {
            return lanes.entryNow(laneId, index);
        } catch (StoreException e) {
            return null;
        }
    }

    /** The entry that had this index in the lane as it was, or -1. */
    private long indexOf(Lane lane, long meantIndex) {
        Shifts its = shifts.get(lane.laneId());
        long exactEnd = its == null ? lane.nextIndex() : its.stretches.get(0).first;
        if (meantIndex < exactEnd) {
            return meantIndex;
        }
        for (int i = 0; its != null && i < its.stretches.size(); i++) {
            Stretch stretch = its.stretches.get(i);
            long index = meantIndex - stretch.shift;
            if (stretch.shift != UNKNOWN && index >= stretch.first && index < endOf(lane.laneId(), its, stretch)) {
                return index;
            }
        }
        return -1;
    }

    private void settle(List<Settlement> settled, long lsn) {
        if (!settled.isEmpty()) {
            byte[] body = Frames.settle(settled).body().get(0);
            RecordBody.Settle record = (RecordBody.Settle) RecordBody.decode(RecordType.SETTLE, body, 0);
            record.lanes().forEach(ranges -> lanes.settle(ranges, lsn));
            settled.clear();
        }
    }
}
