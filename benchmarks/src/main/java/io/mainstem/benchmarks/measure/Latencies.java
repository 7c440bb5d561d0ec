package io.mainstem.benchmarks.measure;

import java.util.Arrays;

/**
 * Counts durations in buckets whose width is at most 0.8% of their value. Thread: one; {@link #add} merges those of
 * several threads.
 */
public final class Latencies {
    private static final int SUB_BUCKET_BITS = 7;
    private static final int SUB_BUCKETS = 1 << SUB_BUCKET_BITS;

    private final long[] counts = new long[(64 - SUB_BUCKET_BITS) * SUB_BUCKETS];
    private long count;
    private long maxNanos;

    /** Counts one duration; negative ones count as 0. */
    public void record(long nanos) {
        long value = Math.max(0, nanos);
        counts[bucketOf(value)]++;
        count++;
        maxNanos = Math.max(maxNanos, value);
    }

    /** Adds everything that {@code other} counted. */
    public void add(Latencies other) {
        for (int i = 0; i < counts.length; i++) {
            counts[i] += other.counts[i];
        }
        count += other.count;
        maxNanos = Math.max(maxNanos, other.maxNanos);
    }

    /** Forgets everything. */
    public void clear() {
        Arrays.fill(counts, 0);
        count = 0;
        maxNanos = 0;
    }

    /** Number of durations counted. */
    public long count() {
        return count;
    }

    public long maxNanos() {
        return maxNanos;
    }

    /**
     * The duration that a share of all does not exceed.
     *
     * @param percent 0 to 100
     * @return nanoseconds, 0 if nothing was counted
     */
    public long percentileNanos(double percent) {
        long wanted = Math.max(1, (long) Math.ceil(count * percent / 100));
        long seen = 0;
        for (int i = 0; i < counts.length; i++) {
            seen += counts[i];
            if (seen >= wanted) {
                return Math.min(maxNanos, highestOf(i));
            }
        }
        return maxNanos;
    }

    /** As {@link #percentileNanos}, in microseconds. */
    public double percentileMicros(double percent) {
        return percentileNanos(percent) / 1000.0;
    }

    // Values below 2 * SUB_BUCKETS have a bucket each; above, the leading bits name the row, the next ones the column.
    private static int bucketOf(long value) {
        if (value < SUB_BUCKETS) {
            return (int) value;
        }
        int shift = 63 - SUB_BUCKET_BITS - Long.numberOfLeadingZeros(value);
        return (shift + 1) * SUB_BUCKETS + (int) (value >>> shift) - SUB_BUCKETS;
    }

    private static long highestOf(int bucket) {
        if (bucket < SUB_BUCKETS) {
            return bucket;
        }
        int shift = bucket / SUB_BUCKETS - 1;
        return ((long) (bucket % SUB_BUCKETS + SUB_BUCKETS + 1) << shift) - 1;
    }
}
