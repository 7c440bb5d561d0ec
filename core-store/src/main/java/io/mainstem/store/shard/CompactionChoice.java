package io.mainstem.store.shard;

import io.mainstem.store.segment.CommitLog.SegmentInfo;
import io.mainstem.store.segment.LiveRecords;
import io.mainstem.store.view.SegmentRefs;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Says which stretch of the log is worth compacting next [L-7].
 *
 * <p>A sealed segment is <em>sparse</em> when less than 35% of it is live (of a compacted file: 50%; while the disk is low:
 * 80%) and nothing in it has been settled for a while, so that what is about to die is not copied. Adjacent sparse ones go
 * into one file. Eight adjacent small files become one, so that the number of files stays small, too.
 *
 * <p>Thread: shard only.
 */
final class CompactionChoice {
    /** Adjacent small files from which on they are merged. */
    static final int MERGE_FILES = 8;

    private static final int SPARSE_PERCENT = 35;
    private static final int SPARSE_AGAIN_PERCENT = 50;
    private static final int SPARSE_PRESSED_PERCENT = 80;
    private static final int SMALL_PART = 4;
    private static final int TINY_PART = 64;
    private static final int FILES_MAX = 64;

    /** What a record takes beside its body: header, padding, place in the index. */
    private static final int RECORD_OVERHEAD = 48;

    private final long segmentBytes;
    private final long quietMs;
    private Map<Long, Watch> watches = new HashMap<>();

    CompactionChoice(long segmentBytes, long quietMs) {
        this.segmentBytes = segmentBytes;
        this.quietMs = quietMs;
    }

    /** Adjacent segments that are to become one file. */
    record Stretch(List<SegmentInfo> segments) {
        Stretch {
            segments = List.copyOf(segments);
        }

        long baseLsn() {
            return segments.get(0).baseLsn();
        }

        long endLsn() {
            return segments.get(segments.size() - 1).endLsn();
        }

        /** That part of it that holds {@code lsn}; all of it if the record stands elsewhere. */
        Stretch at(long lsn) {
            for (SegmentInfo segment : segments) {
                if (lsn >= segment.baseLsn() && lsn < segment.endLsn()) {
                    return new Stretch(List.of(segment));
                }
            }
            return this;
        }

        boolean meets(SegmentInfo segment) {
            return segment.baseLsn() < endLsn() && segment.endLsn() > baseLsn();
        }
    }

    /** What is remembered of a segment between two looks. */
    private static final class Watch {
        private long refs;
        private long sinceMs;
        private long refsMax = Long.MAX_VALUE;
    }

    /**
     * The stretch that gives back most, or null.
     *
     * @param belowLsn only segments that end here or before it
     * @param pressed the disk is low
     */
    @Nullable
    Stretch choose(List<SegmentInfo> segments, SegmentRefs totals, long belowLsn, boolean pressed, long nowMs) {
        Map<Long, Watch> seen = new HashMap<>();
        Runs sparse = new Runs(totals, segmentBytes / 2);
        Runs small = new Runs(totals, segmentBytes);
        for (SegmentInfo segment : segments) {
            boolean old = segment.sealed() && segment.endLsn() <= belowLsn;
            Watch watch = watch(segment, totals, nowMs);
            seen.put(segment.baseLsn(), watch);
            sparse.next(segment, old && isSparse(segment, totals, watch, pressed, nowMs));
            small.next(segment, old && isSmall(segment) && watch.refs <= watch.refsMax);
        }
        watches = seen;
        sparse.end();
        small.end();
        Stretch best = sparse.best(1);
        return best != null ? best : small.best(MERGE_FILES);
    }

    private Watch watch(SegmentInfo segment, SegmentRefs totals, long nowMs) {
        Watch watch = watches.get(segment.baseLsn());
        long refs = totals.refs(segment.baseLsn() / segmentBytes, segment.endLsn() / segmentBytes);
        if (watch == null) {
            watch = new Watch();
            watch.sinceMs = nowMs;
        } else if (watch.refs != refs) {
            watch.sinceMs = nowMs;
        }
        watch.refs = refs;
        return watch;
    }

    private boolean isSparse(SegmentInfo segment, SegmentRefs totals, Watch watch, boolean pressed, long nowMs) {
        boolean quiet = pressed || nowMs - watch.sinceMs >= quietMs;
        boolean tiny = segment.generation() > 0 && segment.fileBytes() <= segmentBytes / TINY_PART;
        if (watch.refs == 0 || watch.refs > watch.refsMax || !quiet || tiny) {
            return false; // those without references are deleted as they are
        }
        int percent = segment.generation() == 0 ? SPARSE_PERCENT : SPARSE_AGAIN_PERCENT;
        percent = pressed ? SPARSE_PRESSED_PERCENT : percent;
        return live(segment, totals) < segment.fileBytes() / 100.0 * percent;
    }

    private boolean isSmall(SegmentInfo segment) {
        return segment.generation() > 0 && segment.fileBytes() <= segmentBytes / SMALL_PART;
    }

    private long live(SegmentInfo segment, SegmentRefs totals) {
        long from = segment.baseLsn() / segmentBytes;
        long to = segment.endLsn() / segmentBytes;
        return totals.bytes(from, to) + totals.refs(from, to) * RECORD_OVERHEAD;
    }

    /** Nothing was gained, or it cannot be read: not again before half of what it holds has gone. */
    void leaveAlone(Stretch stretch) {
        for (SegmentInfo segment : stretch.segments()) {
            Watch watch = watches.get(segment.baseLsn());
            if (watch != null) {
                watch.refsMax = watch.refs / 2;
            }
        }
    }

    /** Cuts a row of segments into runs of wanted ones and keeps the best. */
    private final class Runs {
        private final SegmentRefs totals;
        private final long liveMax;
        private final List<Stretch> found = new ArrayList<>();
        private final List<Long> gains = new ArrayList<>();
        private List<SegmentInfo> run = new ArrayList<>();
        private long runLive;
        private long runGain;

        private Runs(SegmentRefs totals, long liveMax) {
            this.totals = totals;
            this.liveMax = liveMax;
        }

        private void next(SegmentInfo segment, boolean wanted) {
            if (!wanted) {
                end();
                return;
            }
            long live = live(segment, totals);
            boolean fits = run.isEmpty()
                    || (runLive + live <= liveMax
                            && run.size() < FILES_MAX
                            && segment.endLsn() - run.get(0).baseLsn() <= LiveRecords.SPAN_MAX);
            if (!fits) {
                end();
            }
            run.add(segment);
            runLive += live;
            runGain += segment.fileBytes() - live;
        }

        private void end() {
            if (!run.isEmpty()) {
                found.add(new Stretch(run));
                gains.add(runGain);
            }
            run = new ArrayList<>();
            runLive = 0;
            runGain = 0;
        }

        private @Nullable Stretch best(int filesMin) {
            Stretch best = null;
            long bestGain = Long.MIN_VALUE;
            for (int i = 0; i < found.size(); i++) {
                if (found.get(i).segments().size() >= filesMin && gains.get(i) > bestGain) {
                    best = found.get(i);
                    bestGain = gains.get(i);
                }
            }
            return best;
        }
    }
}
