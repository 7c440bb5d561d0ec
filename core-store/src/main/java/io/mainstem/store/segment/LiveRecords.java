package io.mainstem.store.segment;

import java.util.TreeSet;
import org.roaringbitmap.PeekableIntIterator;
import org.roaringbitmap.RoaringBitmap;

/**
 * LSNs of one stretch of the log that must survive its compaction. Thread: one at a time.
 *
 * <p>Parts of large messages are not named one by one: their listing is, wherever it stands.
 */
public final class LiveRecords {
    /** Longest stretch: offsets are kept as unsigned 32-bit numbers of 8 bytes, with a margin. */
    public static final long SPAN_MAX = 8L << 30;

    private final long baseLsn;
    private final long endLsn;
    private final RoaringBitmap records = new RoaringBitmap();
    private final TreeSet<Long> listings = new TreeSet<>();
    private final LaneMarks marks;

    /** Nothing is live yet in {@code [baseLsn, endLsn)}. */
    public LiveRecords(long baseLsn, long endLsn) {
        if (endLsn - baseLsn > SPAN_MAX) {
            throw new IllegalArgumentException("stretch: " + (endLsn - baseLsn) + " (expected: <= " + SPAN_MAX + ")");
        }
        this.baseLsn = baseLsn;
        this.endLsn = endLsn;
        this.marks = new LaneMarks(baseLsn, endLsn);
    }

    public long baseLsn() {
        return baseLsn;
    }

    public long endLsn() {
        return endLsn;
    }

    /** Keeps the record at {@code lsn} if it lies in the stretch. */
    public void keep(long lsn) {
        if (lsn >= baseLsn && lsn < endLsn) {
            records.add((int) ((lsn - baseLsn) / LogLayout.RECORD_ALIGN));
        }
    }

    /** Keeps the parts that the large message at {@code lsn} lists, as far as they lie in the stretch. */
    public void keepPartsOf(long lsn) {
        listings.add(lsn);
    }

    /** What is kept with them of the lanes they were in. */
    public LaneMarks marks() {
        return marks;
    }

    /** Number of records, without those parts that listings name. */
    public int size() {
        return records.getCardinality();
    }

    Iterable<Long> listings() {
        return listings;
    }

    /** Ascending. */
    Lsns lsns() {
        return new Lsns(baseLsn, records.getIntIterator());
    }

    /** Walks over LSNs. */
    static final class Lsns {
        private final long baseLsn;
        private final PeekableIntIterator offsets;

        private Lsns(long baseLsn, PeekableIntIterator offsets) {
            this.baseLsn = baseLsn;
            this.offsets = offsets;
        }

        boolean hasNext() {
            return offsets.hasNext();
        }

        long next() {
            return baseLsn + Integer.toUnsignedLong(offsets.next()) * LogLayout.RECORD_ALIGN;
        }
    }
}
