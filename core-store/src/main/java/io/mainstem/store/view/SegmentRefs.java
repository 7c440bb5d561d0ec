package io.mainstem.store.view;

import java.util.Arrays;

/**
 * How many references there are into each segment and what they are worth in bytes; segments without references do not
 * appear. One triple of longs a segment, ascending.
 *
 * <p>Thread: shard only.
 */
public final class SegmentRefs {
    private static final long[] NONE = {};

    private long[] triples = NONE;
    private int size;
    /** Of all segments. */
    private long allBytes;

    private long clears;

    /**
     * Adds to a segment.
     *
     * @param segment LSN / segment size
     * @param refs may be negative
     * @param bytes may be negative
     */
    public void add(long segment, long refs, long bytes) {
        int at = find(segment);
        if (at < 0) {
            at = -at - 1;
            insert(at, segment);
        }
        triples[at * 3 + 1] += refs;
        triples[at * 3 + 2] += bytes;
        allBytes += bytes;
        if (triples[at * 3 + 1] == 0) {
            allBytes -= triples[at * 3 + 2];
            System.arraycopy(triples, (at + 1) * 3, triples, at * 3, (size - at - 1) * 3);
            size--;
            if (size == 0) {
                triples = NONE;
            }
        }
    }

    /** Takes off all that {@code other} holds. */
    void subtract(SegmentRefs other) {
        other.forEach((segment, refs, bytes) -> add(segment, -refs, -bytes));
    }

    void clear() {
        triples = NONE;
        size = 0;
        allBytes = 0;
        clears++;
    }

    /** The same, on its own. */
    SegmentRefs copy() {
        SegmentRefs copy = new SegmentRefs();
        copy.triples = toTriples();
        copy.size = size;
        copy.allBytes = allBytes;
        copy.clears = clears;
        return copy;
    }

    /** How often everything has been forgotten: what differed before that differs no more. */
    long clears() {
        return clears;
    }

    /** References into a segment. */
    public long refs(long segment) {
        int at = find(segment);
        return at < 0 ? 0 : triples[at * 3 + 1];
    }

    /** True if there are references into any of the segments [from, to). */
    public boolean holdsAny(long from, long to) {
        int at = find(from);
        int next = at < 0 ? -at - 1 : at;
        return next < size && triples[next * 3] < to;
    }

    /** Bytes held in the segments [from, to). */
    public long bytes(long from, long to) {
        int at = find(from);
        long sum = 0;
        for (int i = at < 0 ? -at - 1 : at; i < size && triples[i * 3] < to; i++) {
            sum += triples[i * 3 + 2];
        }
        return sum;
    }

    /** References into the segments [from, to). */
    public long refs(long from, long to) {
        int at = find(from);
        long sum = 0;
        for (int i = at < 0 ? -at - 1 : at; i < size && triples[i * 3] < to; i++) {
            sum += triples[i * 3 + 1];
        }
        return sum;
    }

    /** Bytes held in all segments. */
    public long bytes() {
        return allBytes;
    }

    /** Segments with references. */
    public int size() {
        return size;
    }

    /** Tells all segments with references, ascending. */
    public void forEach(Visitor visitor) {
        for (int i = 0; i < size; i++) {
            visitor.segment(triples[i * 3], triples[i * 3 + 1], triples[i * 3 + 2]);
        }
    }

    /** One triple a segment, ascending: segment, references, bytes. */
    public long[] toTriples() {
        return Arrays.copyOf(triples, size * 3);
    }

    private int find(long segment) {
        if (size > 0 && triples[(size - 1) * 3] == segment) {
            return size - 1;
        }
        int low = 0;
        int high = size - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            long found = triples[middle * 3];
            if (found == segment) {
                return middle;
            }
            if (found < segment) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -(low + 1);
    }

    private void insert(int at, long segment) {
        if (triples.length < (size + 1) * 3) {
            triples = Arrays.copyOf(triples, size == 0 ? 3 : size * 6);
        }
        System.arraycopy(triples, at * 3, triples, (at + 1) * 3, (size - at) * 3);
        triples[at * 3] = segment;
        triples[at * 3 + 1] = 0;
        triples[at * 3 + 2] = 0;
        size++;
    }

    /** Receives segments. */
    @FunctionalInterface
    public interface Visitor {
        /** One segment with references. */
        void segment(long segment, long refs, long bytes);
    }
}
