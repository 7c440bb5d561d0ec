package io.mainstem.store.segment;

import io.mainstem.store.Frame;
import io.mainstem.store.Frame.Part;
import io.mainstem.store.RecordGroup;
import io.mainstem.store.RecordType;
import io.mainstem.store.ShardStore;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * A group on its way into the log whose big messages are stored in parts: first all MSG_PART records, each a group of
 * its own that may stand in any batch, then the group itself, which lists them. Thread: writer.
 */
final class LargeGroup {
    private final List<Frame> frames;
    private final int partBytesMax;
    private final List<Frame> large = new ArrayList<>();
    private final Set<Frame> isLarge = Collections.newSetFromMap(new IdentityHashMap<>());
    private final List<Part> parts = new ArrayList<>();
    private int frameAt;
    private int pieceAt = 1;
    private int offset;
    private long left;
    private long firstBatchLsn = -1;

    private LargeGroup(List<Frame> frames, LogLayout layout) {
        this.frames = frames;
        this.partBytesMax = layout.recordBodyMax();
    }

    /** True if the group must be stored that way. */
    static boolean is(RecordGroup group, LogLayout layout) {
        return group.encodedBytes() > layout.recordBodyMax() && is(group.frames(), layout);
    }

    private static boolean is(List<Frame> frames, LogLayout layout) {
        for (Frame frame : frames) {
            if (frame.bodyBytes() > layout.recordBodyMax()) {
                return true;
            }
        }
        return plainBytes(frames) > layout.batchBytesMax() - BatchHeader.RECORD_BYTES;
    }

    static LargeGroup of(RecordGroup group, LogLayout layout) {
        return of(group.frames(), layout);
    }

    private static LargeGroup of(List<Frame> frames, LogLayout layout) {
        LargeGroup result = new LargeGroup(frames, layout);
        boolean all = plainBytes(frames) > layout.batchBytesMax() - BatchHeader.RECORD_BYTES;
        for (Frame frame : frames) {
            boolean cuttable = frame.type() == RecordType.MSG && frame.body().size() > 1;
            if (cuttable && (all || frame.bodyBytes() > layout.recordBodyMax())) {
                result.large.add(frame);
                result.isLarge.add(frame);
            }
        }
        result.enterFrame();
        return result;
    }

    /**
     * Refuses what could never be written.
     *
     * @throws IllegalArgumentException with the sizes
     */
    static void checkWritable(RecordGroup group, LogLayout layout) {
        if (group.encodedBytes() > layout.recordBodyMax()) {
            checkWritable(group.frames(), layout);
        }
    }

    /** As above, of what shall become a group. */
    static void checkWritable(List<Frame> frames, LogLayout layout) {
        if (!is(frames, layout)) {
            return;
        }
        LargeGroup plan = of(frames, layout);
        long bytes = plan.listingBytes();
        int bytesMax = layout.batchBytesMax() - BatchHeader.RECORD_BYTES;
        if (bytes > bytesMax) {
            throw new IllegalArgumentException("group: " + bytes + " bytes (expected: <= " + bytesMax + ")");
        }
        for (Frame frame : frames) {
            long body = plan.isLarge.contains(frame) ? plan.listingBodyBytes(frame) : frame.bodyBytes();
            if (body > ShardStore.RECORD_BODY_BYTES_MAX) {
                throw new IllegalArgumentException(frame.type() + " record: " + body + " bytes (expected: <= "
                        + ShardStore.RECORD_BODY_BYTES_MAX + ")");
            }
        }
    }

    /** Bytes of the group's records if none is cut. */
    static long plainBytes(RecordGroup group) {
        return plainBytes(group.frames());
    }

    private static long plainBytes(List<Frame> frames) {
        long bytes = 0;
        for (Frame frame : frames) {
            bytes += LogLayout.recordBytes(frame.bodyBytes());
        }
        return bytes;
    }

    private long listingBytes() {
        long bytes = 0;
        for (Frame frame : frames) {
            long body = isLarge.contains(frame) ? listingBodyBytes(frame) : frame.bodyBytes();
            bytes += LogLayout.recordBytes(body);
        }
        return bytes;
    }

    private long listingBodyBytes(Frame frame) {
        long piece0 = frame.body().get(0).length;
        long count = (frame.bodyBytes() - piece0 + partBytesMax - 1) / partBytesMax;
        return 4 + 12 * count + piece0;
    }

    /** Start of the batch that holds the first part, or -1: replay must not start after it. */
    long firstBatchLsn() {
        return firstBatchLsn;
    }

    boolean partsLeft() {
        return frameAt < large.size();
    }

    /** Bytes the next thing to write takes in a batch: a part, or at last the group. */
    long nextBytes() {
        return partsLeft() ? LogLayout.recordBytes(nextPartBytes()) : listingBytes();
    }

    private int nextPartBytes() {
        return (int) Math.min(left, partBytesMax);
    }

    void addPartTo(BatchBuilder batch) {
        int bytes = nextPartBytes();
        if (firstBatchLsn < 0) {
            firstBatchLsn = batch.startLsn();
        }
        long lsn = batch.add(RecordType.MSG_PART, 0, slab -> copyPieces(slab, bytes));
        parts.add(new Part(lsn, bytes));
        left -= bytes;
        if (left == 0) {
            large.get(frameAt).assignParts(parts);
            parts.clear();
            frameAt++;
            enterFrame();
        }
    }

    private void enterFrame() {
        if (frameAt < large.size()) {
            Frame frame = large.get(frameAt);
            pieceAt = 1;
            offset = 0;
            left = frame.bodyBytes() - frame.body().get(0).length;
            if (left == 0) {
                frameAt++;
                enterFrame();
            }
        }
    }

    private void copyPieces(ByteBuffer slab, int bytes) {
        List<byte[]> pieces = large.get(frameAt).body();
        int todo = bytes;
        while (todo > 0) {
            byte[] piece = pieces.get(pieceAt);
            int n = Math.min(todo, piece.length - offset);
            slab.put(piece, offset, n);
            todo -= n;
            offset += n;
            if (offset == piece.length) {
                pieceAt++;
                offset = 0;
            }
        }
    }

    /** The group itself, after all parts. */
    void addGroupTo(BatchBuilder batch) {
        for (int i = 0; i < frames.size(); i++) {
            Frame frame = frames.get(i);
            boolean more = i < frames.size() - 1;
            if (frame.parts().isEmpty()) {
                batch.add(frame, more);
            } else {
                int flags = frame.flags() | CommitLog.FLAG_LARGE | (more ? CommitLog.FLAG_MORE : 0);
                frame.assignLsn(batch.add(RecordType.MSG, flags, slab -> putListing(slab, frame)));
            }
        }
    }

    private static void putListing(ByteBuffer slab, Frame frame) {
        slab.putInt(frame.parts().size());
        for (Part part : frame.parts()) {
            slab.putLong(part.lsn()).putInt(part.bytes());
        }
        slab.put(frame.body().get(0));
    }
}
