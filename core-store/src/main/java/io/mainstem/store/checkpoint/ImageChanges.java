package io.mainstem.store.checkpoint;

import io.mainstem.store.codec.BytesWriter;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What has changed since the image before: filled on the shard thread slice by slice, then handed to the thread that
 * writes the image and not touched again.
 *
 * <p>Lane states lie one behind the other in chunks, so that a hundred thousand of them cost their bytes and little more, and
 * a large one is never copied to make room.
 */
public final class ImageChanges {
    /** Known by its identity: a value may be empty. */
    static final byte[] REMOVED = new byte[0];

    /** A chunk takes nothing new from so many bytes on. */
    public static final int CHUNK_BYTES = 128 << 10;

    private static final int CHUNK_BYTES_FIRST = 16 << 10;

    private final long[] laneIds;
    private final long[] ends;
    /** By where they begin. */
    private final TreeMap<Long, BytesWriter> chunks = new TreeMap<>();

    private BytesWriter chunk = new BytesWriter(CHUNK_BYTES_FIRST);
    private long chunkFrom;
    private final SortedMap<byte[], byte[]> meta = new TreeMap<>(Arrays::compareUnsigned);
    private byte[] dropped = {};
    private int written;

    /**
     * Nothing written yet.
     *
     * @param laneIds lanes to be written or removed, ascending
     */
    public ImageChanges(long[] laneIds) {
        this.laneIds = laneIds;
        this.ends = new long[laneIds.length];
        this.chunks.put(0L, chunk);
    }

    /** The lane to write next, or -1 if all have been. */
    public long nextLane() {
        return written < laneIds.length ? laneIds[written] : -1;
    }

    /** Where to write on with {@link #nextLane}; nothing written = the lane is gone. */
    public BytesWriter state() {
        if (chunk.size() >= CHUNK_BYTES) {
            chunkFrom += chunk.size();
            chunk = new BytesWriter(CHUNK_BYTES + (CHUNK_BYTES >> 2));
            chunks.put(chunkFrom, chunk);
        }
        return chunk;
    }

    /** The next lane is written. */
    public void laneDone() {
        ends[written++] = bytes();
    }

    /** Bytes written so far. */
    public long bytes() {
        return chunkFrom + chunk.size();
    }

    /** Lanes to be written or removed, ascending. */
    public long[] laneIds() {
        return laneIds.clone();
    }

    int lanes() {
        return laneIds.length;
    }

    /** A key that has changed; null = it is gone. */
    public void meta(byte[] key, byte @Nullable [] value) {
        meta.put(key, value == null ? REMOVED : value);
    }

    /** Queues dropped so far, all of them. */
    public void dropped(byte[] queues) {
        this.dropped = queues;
    }

    long laneId(int i) {
        return laneIds[i];
    }

    /** Bytes of a lane's state; 0 = it is gone. */
    long bytes(int i) {
        return ends[i] - from(i);
    }

    private long from(int i) {
        return i == 0 ? 0 : ends[i - 1];
    }

    /** Receives bytes, some at a time. */
    @FunctionalInterface
    interface Part {
        void bytes(byte[] array, int from, int count) throws IOException;
    }

    /** Tells a lane's state. */
    void state(int i, Part to) throws IOException {
        long from = from(i);
        for (Map.Entry<Long, BytesWriter> each :
                chunks.tailMap(chunks.floorKey(from)).entrySet()) {
            long start = each.getKey();
            if (start >= ends[i]) {
                return;
            }
            BytesWriter bytes = each.getValue();
            long first = Math.max(start, from);
            long end = Math.min(start + bytes.size(), ends[i]);
            to.bytes(bytes.array(), (int) (first - start), (int) (end - first));
        }
    }

    SortedMap<byte[], byte[]> meta() {
        return meta;
    }

    byte[] dropped() {
        return dropped;
    }
}
