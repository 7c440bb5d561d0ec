package io.mainstem.store.shard;

import io.mainstem.store.Entry;
import io.mainstem.store.view.LaneSnapshot;
import io.mainstem.store.view.Lanes;
import io.mainstem.store.view.SegmentRefs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts anew what unsettled entries hold of the log's segments, and mends the counters by which segments are deleted and
 * compacted where they say something else: one that is too low would give up messages, one that is too high would pin its
 * segment for ever.
 *
 * <p>Entries and counters of a lane are taken at one moment, so that a difference is one whatever happens meanwhile; what
 * is mended is the difference, and what has been counted since stays.
 *
 * <p>Thread: what the sweep tells comes on its background thread, {@link #correct} on the shard after that.
 */
final class CounterAudit implements LaneSweep.Found {
    private static final Logger LOG = LoggerFactory.getLogger(CounterAudit.class);

    private final Lanes lanes;
    private final QueueNames queueNames;
    private final List<Difference> differences = new ArrayList<>();
    private SegmentRefs held = new SegmentRefs();

    CounterAudit(Lanes lanes, QueueNames queueNames) {
        this.lanes = lanes;
        this.queueNames = queueNames;
    }

    /** A lane whose counters say something else than its entries did. */
    private record Difference(LaneSnapshot lane, SegmentRefs held) {}

    @Override
    public void entry(Entry entry, long laneId) {
        entry.forEachUnit((unit, bytes) -> held.add(lanes.segmentOf(unit), 1, bytes));
    }

    @Override
    public void laneEnd(LaneSnapshot lane, boolean whole) {
        if (whole && !Arrays.equals(held.toTriples(), lane.counters())) {
            differences.add(new Difference(lane, held));
        }
        held = new SegmentRefs();
    }

    /** Mends what differs, and the sum over all lanes, which reclaim and compaction go by. */
    void correct() {
        for (Difference difference : differences) {
            LaneSnapshot lane = difference.lane;
            if (lanes.correct(lane, difference.held)) {
                LOG.error(
                        "MS-0259 lane-counters-corrected {} lane={} counted={} entries-hold={} fix: report this with the"
                                + " data folder; the counters are right again",
                        queueNames.of(lane.laneId()),
                        lane.laneId() & 0xFF,
                        Arrays.toString(lane.counters()),
                        Arrays.toString(difference.held.toTriples()));
            }
        }
        long[] counted = lanes.totals().toTriples();
        if (lanes.correctTotals()) {
            LOG.error(
                    "MS-0259 segment-counters-corrected counted={} lanes-hold={} fix: report this with the data folder;"
                            + " the counters are right again",
                    Arrays.toString(counted),
                    Arrays.toString(lanes.totals().toTriples()));
        }
    }
}
