package io.mainstem.routing.queue;

import io.mainstem.routing.dedup.DedupLimits;
import io.mainstem.routing.topology.TopologyLimits;

/**
 * How much memory one shard may use, bytes; checked here and nowhere else.
 *
 * @param tailCacheBytes recent messages kept on the heap for consumers that keep up
 * @param readAheadBytes messages read back from the log and not dispatched yet, all queues together
 * @param coldReadsMax reads of such messages that are under way at a time; a quarter of them for one consumer
 * @param transientQueueBytesMax non-durable messages of one queue; above it publishers are held back
 * @param transientBytesMax non-durable messages of all queues; above it publishers are held back
 * @param spoolBytesMax disk space for non-durable messages that do not fit in memory; 0 = they stay in memory
 * @param sessionInFlightBytesMax publishes of one session not answered yet; above it the session is held back
 * @param nearEntriesMax delayed messages of one hour, due next, of which 8 bytes each are in memory
 * @param lastValueBytesMax keys of last-value queues, 24 to 96 bytes each; messages of what does not fit are not replaced
 * @param dedup publish ids that are remembered
 * @param topology how many queues, exchanges and bindings a virtual host may have
 */
public record ShardSettings(
        long tailCacheBytes,
        long readAheadBytes,
        int coldReadsMax,
        long transientQueueBytesMax,
        long transientBytesMax,
        long spoolBytesMax,
        long sessionInFlightBytesMax,
        int nearEntriesMax,
        long lastValueBytesMax,
        DedupLimits dedup,
        TopologyLimits topology) {
    private static final int COLD_READS_MAX = 64;
    private static final int NEAR_ENTRIES_MAX = 1 << 18;
    private static final long KIB = 1024;
    private static final long MIB = 1024 * KIB;
    private static final long SPOOL_BYTES_MAX = 4096 * MIB;
    private static final long LAST_VALUE_BYTES_MAX = MIB;

    public ShardSettings {
        check("shard.tail-cache-bytes", tailCacheBytes);
        check("shard.read-ahead-bytes", readAheadBytes);
        if (coldReadsMax < 4 || coldReadsMax > 4096) {
            throw new IllegalArgumentException("shard.cold-reads-max: " + coldReadsMax + " (expected: 4 to 4096)");
        }
        check("shard.transient-queue-bytes-max", transientQueueBytesMax);
        check("shard.transient-bytes-max", transientBytesMax);
        if (spoolBytesMax < 0) {
            throw new IllegalArgumentException("shard.spool-bytes-max: " + spoolBytesMax + " (expected: >= 0)");
        }
        check("shard.session-in-flight-bytes-max", sessionInFlightBytesMax);
        check("shard.last-value-bytes-max", lastValueBytesMax);
    }

    /** With as many publish ids remembered as usual. */
    public ShardSettings(
            long tailCacheBytes,
            long readAheadBytes,
            long transientQueueBytesMax,
            long transientBytesMax,
            long spoolBytesMax,
            long sessionInFlightBytesMax,
            int nearEntriesMax) {
        this(
                tailCacheBytes,
                readAheadBytes,
                COLD_READS_MAX,
                transientQueueBytesMax,
                transientBytesMax,
                spoolBytesMax,
                sessionInFlightBytesMax,
                nearEntriesMax,
                LAST_VALUE_BYTES_MAX,
                DedupLimits.USUAL,
                TopologyLimits.NONE);
    }

    /** With as many entries of the schedule in memory as usual, too. */
    public ShardSettings(
            long tailCacheBytes,
            long readAheadBytes,
            long transientQueueBytesMax,
            long transientBytesMax,
            long spoolBytesMax,
            long sessionInFlightBytesMax) {
        this(
                tailCacheBytes,
                readAheadBytes,
                transientQueueBytesMax,
                transientBytesMax,
                spoolBytesMax,
                sessionInFlightBytesMax,
                NEAR_ENTRIES_MAX);
    }

    /**
     * Shares of the heap that leave room for everything else.
     *
     * @param heapBytes the largest heap this JVM may use
     */
    public static ShardSettings forHeap(long heapBytes) {
        long heap = Math.max(64 * MIB, heapBytes);
        return new ShardSettings(
                heap / 8,
                heap / 16,
                COLD_READS_MAX,
                Math.min(64 * MIB, heap / 8),
                heap / 4,
                SPOOL_BYTES_MAX,
                Math.min(8 * MIB, heap / 16),
                NEAR_ENTRIES_MAX,
                heap / 32,
                new DedupLimits(
                        DedupLimits.USUAL.producersMax(),
                        DedupLimits.USUAL.namesMax(),
                        DedupLimits.USUAL.ageMs(),
                        DedupLimits.totalForHeap(heap)),
                TopologyLimits.forHeap(heap));
    }

    /** Of annotations that consumers have added to messages they gave back. */
    long annotationBytesMax() {
        return Math.max(64 << 10, transientBytesMax / 16);
    }

    /** These, with other limits for publish ids. */
    public ShardSettings with(DedupLimits other) {
        return new ShardSettings(
                tailCacheBytes,
                readAheadBytes,
                coldReadsMax,
                transientQueueBytesMax,
                transientBytesMax,
                spoolBytesMax,
                sessionInFlightBytesMax,
                nearEntriesMax,
                lastValueBytesMax,
                other,
                topology);
    }

    /** These, with other limits for what is declared. */
    public ShardSettings with(TopologyLimits other) {
        return new ShardSettings(
                tailCacheBytes,
                readAheadBytes,
                coldReadsMax,
                transientQueueBytesMax,
                transientBytesMax,
                spoolBytesMax,
                sessionInFlightBytesMax,
                nearEntriesMax,
                lastValueBytesMax,
                dedup,
                other);
    }

    private static void check(String key, long value) {
        if (value < KIB) {
            throw new IllegalArgumentException(key + ": " + value + " (expected: >= " + KIB + ")");
        }
    }
}
