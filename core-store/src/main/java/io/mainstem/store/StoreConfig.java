package io.mainstem.store;

import java.nio.file.Path;

/**
 * Settings of one store, checked here and nowhere else. Sizes in bytes, times in milliseconds.
 *
 * @param directory holds everything of the store
 * @param segmentBytes size of a log segment, a multiple of 64 KiB, fixed when the store is created; RocketMQ's 1 GiB is
 *     allowed
 * @param viewFileBytes size of a file of consume-queue blocks
 * @param batchAlign batches start at multiples of it: 0 (off), 512 or 4096
 * @param poolSegmentsMax dead segments kept for reuse
 * @param inFlightBytesMax publishers are held back above it
 * @param checkpointBytes a checkpoint is taken after so much log
 * @param checkpointIntervalMs ... or after so long, if anything changed
 * @param diskHighBytes publishers are held back while less than this is free
 * @param readThreads threads for reads that miss memory
 * @param convoyMicrosMax microseconds that a sync waits at most for publishers that come back together, 0 = never
 * @param upkeep what runs in the background
 */
public record StoreConfig(
        Path directory,
        long segmentBytes,
        long viewFileBytes,
        int batchAlign,
        int poolSegmentsMax,
        long inFlightBytesMax,
        long checkpointBytes,
        long checkpointIntervalMs,
        long diskHighBytes,
        int readThreads,
        long convoyMicrosMax,
        StoreUpkeep upkeep) {

    private static final long KIB = 1024;
    private static final long MIB = 1024 * KIB;
    private static final long CONVOY_MICROS_MAX = 1000;

    public static final long SEGMENT_BYTES_MIN = 64 * KIB;
    public static final long SEGMENT_BYTES_MAX = 1024 * MIB;
    public static final long SEGMENT_BYTES_DEFAULT = 256 * MIB;
    /** What a broker needs: a batch holds several records of {@link ShardStore#RECORD_BODY_BYTES_MAX} then. */
    public static final long SEGMENT_BYTES_SERVED = 4 * MIB;

    public StoreConfig {
        check("store.segment-bytes", segmentBytes, SEGMENT_BYTES_MIN, SEGMENT_BYTES_MAX);
        if (segmentBytes % Entry.UNIT_BYTES != 0) {
            throw new IllegalArgumentException(
                    "store.segment-bytes: " + segmentBytes + " (expected: a multiple of " + Entry.UNIT_BYTES + ")");
        }
        check("store.view-file-bytes", viewFileBytes, 64 * KIB, 1024 * MIB);
        if (batchAlign != 0 && batchAlign != 512 && batchAlign != 4096) {
            throw new IllegalArgumentException("store.batch-align: " + batchAlign + " (expected: 0, 512 or 4096)");
        }
        check("store.pool-segments-max", poolSegmentsMax, 0, 64);
        check("store.in-flight-bytes-max", inFlightBytesMax, MIB, 4096 * MIB);
        check("store.checkpoint-bytes", checkpointBytes, 64 * KIB, 4096 * MIB);
        check("store.checkpoint-interval", checkpointIntervalMs, 10, 3_600_000);
        check("store.disk-high-bytes", diskHighBytes, 0, Long.MAX_VALUE);
        check("store.read-threads", readThreads, 1, 64);
        check("store.convoy-micros-max", convoyMicrosMax, 0, 100_000);
    }

    /** The same for another folder. */
    public StoreConfig in(Path other) {
        return new StoreConfig(
                other,
                segmentBytes,
                viewFileBytes,
                batchAlign,
                poolSegmentsMax,
                inFlightBytesMax,
                checkpointBytes,
                checkpointIntervalMs,
                diskHighBytes,
                readThreads,
                convoyMicrosMax,
                upkeep);
    }

    /** Defaults for a broker on a small machine. */
    public static StoreConfig defaults(Path directory) {
        return new StoreConfig(
                directory,
                SEGMENT_BYTES_DEFAULT,
                64 * MIB,
                512,
                4,
                64 * MIB,
                256 * MIB,
                30_000,
                1024 * MIB,
                2,
                CONVOY_MICROS_MAX,
                StoreUpkeep.defaults());
    }

    private static void check(String key, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(key + ": " + value + " (expected: " + min + " to " + max + ")");
        }
    }
}
