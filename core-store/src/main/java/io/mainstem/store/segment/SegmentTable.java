package io.mainstem.store.segment;

import io.mainstem.store.segment.CommitLog.SegmentInfo;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Segments in use, found by LSN. Thread: any; the writer adds at the end, the applier removes sealed ones. */
final class SegmentTable {
    private static final Logger LOG = LoggerFactory.getLogger(SegmentTable.class);

    private final ConcurrentSkipListMap<Long, Segment> byBase = new ConcurrentSkipListMap<>();

    void add(Segment segment) {
        byBase.put(segment.baseLsn(), segment);
    }

    @Nullable
    Segment remove(long baseLsn) {
        return byBase.remove(baseLsn);
    }

    @Nullable
    Segment at(long baseLsn) {
        return byBase.get(baseLsn);
    }

    /** The segment that covers {@code lsn}, or null. */
    @Nullable
    Segment covering(long lsn) {
        Map.Entry<Long, Segment> found = byBase.floorEntry(lsn);
        return found != null && lsn < found.getValue().endLsn() ? found.getValue() : null;
    }

    /** Those that begin in [from, to), oldest first. */
    List<Segment> between(long from, long to) {
        return List.copyOf(byBase.subMap(from, to).values());
    }

    /**
     * Puts one in the place of several; at any moment each of their LSNs is covered.
     *
     * @param compacted begins where the first of them begins and ends where the last one ends
     */
    void replace(List<Segment> replaced, Segment compacted) {
        byBase.put(compacted.baseLsn(), compacted);
        for (Segment segment : replaced) {
            if (segment.baseLsn() != compacted.baseLsn()) {
                byBase.remove(segment.baseLsn());
            }
        }
    }

    /** The segment that covers {@code lsn}, else the first one behind it, or null. */
    @Nullable
    Segment coveringOrNext(long lsn) {
        Segment covering = covering(lsn);
        Map.Entry<Long, Segment> next = covering == null ? byBase.higherEntry(lsn) : null;
        return next == null ? covering : next.getValue();
    }

    Segment active() {
        return byBase.lastEntry().getValue();
    }

    boolean isEmpty() {
        return byBase.isEmpty();
    }

    long startLsn() {
        return byBase.firstKey();
    }

    /** Oldest first. */
    List<Segment> all() {
        return List.copyOf(byBase.values());
    }

    List<SegmentInfo> infos() {
        List<SegmentInfo> infos = new ArrayList<>();
        for (Segment segment : byBase.values()) {
            infos.add(segment.info());
        }
        return infos;
    }

    void closeAll() {
        for (Segment segment : byBase.values()) {
            try {
                segment.file().close();
            } catch (IOException e) {
                // Everything that counts has been synced before; there is nothing left to lose.
                LOG.debug("closing {} failed", segment.path(), e);
            }
        }
    }
}
