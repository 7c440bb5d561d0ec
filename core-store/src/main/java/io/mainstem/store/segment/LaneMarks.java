package io.mainstem.store.segment;

import io.mainstem.store.codec.BytesReader;
import io.mainstem.store.codec.BytesWriter;
import io.mainstem.store.codec.MalformedException;

/**
 * Which entries of lanes were waiting in a stretch of the log when it was compacted: with what is dropped the counting of
 * entries ends, by which a damaged block is found again in the log (ADR 0057).
 *
 * <pre>
 * lanes x (varint laneId | varint bytes | marks x (zigzag (lsn - lsn before) / 8 | zigzag index - index before))
 * </pre>
 *
 * <p>A mark says that the record at {@code lsn} made the entry {@code index} of that lane, which stays true for ever. There is
 * one for each entry that waited, and one for the nearest known entry before the stretch and behind it, settled or not.
 *
 * <p>Thread: one at a time.
 */
public final class LaneMarks {
    /** More than that is not kept: the file is not sparse then. */
    private static final int BYTES_MAX = 32 << 20;

    private static final long NONE = -1;

    private final long baseLsn;
    private final long endLsn;
    private final BytesWriter all = new BytesWriter(1 << 10);
    private final BytesWriter ofLane = new BytesWriter(1 << 10);
    private long laneId = NONE;
    private long lastLsn;
    private long lastIndex;
    private long beforeLsn = NONE;
    private long beforeIndex;
    private boolean behind;

    LaneMarks(long baseLsn, long endLsn) {
        this.baseLsn = baseLsn;
        this.endLsn = endLsn;
    }

    /**
     * An entry that is known; those of a lane come one behind the other, ascending.
     *
     * @param lsn of the record that made it
     * @param waits it is not settled
     */
    public void entry(long laneId, long lsn, long index, boolean waits) {
        if (laneId != this.laneId) {
            endLane();
            this.laneId = laneId;
        }
        if (lsn < baseLsn) {
            beforeLsn = lsn;
            beforeIndex = index;
        } else if (lsn < endLsn ? waits : !behind) {
            behind = lsn >= endLsn;
            add(lsn, index);
        }
    }

    private void add(long lsn, long index) {
        ofLane.zigzag((lsn - lastLsn) / LogLayout.RECORD_ALIGN).zigzag(index - lastIndex);
        lastLsn = lsn;
        lastIndex = index;
    }

    private void endLane() {
        if (beforeLsn != NONE) {
            add(beforeLsn, beforeIndex);
        }
        if (ofLane.size() > 0 && all.size() <= BYTES_MAX) {
            all.varint(laneId).varint(ofLane.size()).raw(ofLane.array(), 0, ofLane.size());
        }
        ofLane.clear();
        lastLsn = 0;
        lastIndex = 0;
        beforeLsn = NONE;
        behind = false;
        laneId = NONE;
    }

    /** As they are stored; empty if there are too many. */
    byte[] toBytes() {
        endLane();
        return all.size() > BYTES_MAX ? new byte[0] : all.toBytes();
    }

    /**
     * Tells the marks of one lane.
     *
     * @throws MalformedException if these are none
     */
    static void forEach(byte[] marks, long laneId, Visitor to) {
        BytesReader in = new BytesReader(marks);
        while (in.remaining() > 0) {
            long lane = in.varint();
            int bytes = in.count(1);
            if (lane != laneId) {
                in.skip(bytes);
                continue;
            }
            int end = in.position() + bytes;
            long lsn = 0;
            long index = 0;
            while (in.position() < end) {
                lsn += in.zigzag() * LogLayout.RECORD_ALIGN;
                index += in.zigzag();
                to.mark(lsn, index);
            }
        }
    }

    /** Receives marks. */
    @FunctionalInterface
    public interface Visitor {
        /** The record at {@code lsn} made that entry. */
        void mark(long lsn, long index);
    }
}
