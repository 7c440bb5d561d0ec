package io.mainstem.store.checkpoint;

import io.mainstem.store.codec.BytesWriter;
import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What has changed since the image before: filled on the shard thread slice by slice, then handed to the thread that
 * writes the image and not touched again.
 *
 * <p>Lane states lie in one array, so that a hundred thousand of them cost their bytes and little more.
 */
public final class ImageChanges {
    /** Known by its identity: a value may be empty. */
    static final byte[] REMOVED = new byte[0];

    private final long[] laneIds;
    private final int[] ends;
    private final BytesWriter states = new BytesWriter(1 << 16);
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
        this.ends = new int[laneIds.length];
    }

    /** The lane to write next, or -1 if all have been. */
    public long nextLane() {
        return written < laneIds.length ? laneIds[written] : -1;
    }

    /** Where to write {@link #nextLane}; nothing written = the lane is gone. */
    public BytesWriter state() {
        return states;
    }

    /** The next lane is written. */
    public void laneDone() {
        ends[written++] = states.size();
    }

    /** Bytes written so far. */
    public int bytes() {
        return states.size();
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

    int from(int i) {
        return i == 0 ? 0 : ends[i - 1];
    }

    int end(int i) {
        return ends[i];
    }

    byte[] stateBytes() {
        return states.array();
    }

    SortedMap<byte[], byte[]> meta() {
        return meta;
    }

    byte[] dropped() {
        return dropped;
    }
}
