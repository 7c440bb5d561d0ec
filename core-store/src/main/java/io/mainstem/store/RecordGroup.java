package io.mainstem.store;

import java.util.List;

/**
 * The atomic unit of change: after a crash all of its records count, or none.
 *
 * <p>Subclasses carry what the submitter needs when the group completes. The two callbacks run on the shard thread,
 * exactly one of them, exactly once; groups complete in log order.
 */
public abstract class RecordGroup {
    /** What a record takes beside its body, at most. */
    public static final int RECORD_OVERHEAD_BYTES = 64;

    private final List<Frame> frames;
    private final Durability durability;
    private final long encodedBytes;

    /** @param frames at least one, in the order they are applied */
    protected RecordGroup(List<Frame> frames, Durability durability) {
        if (frames.isEmpty()) {
            throw new IllegalArgumentException("frames: 0 (expected: >= 1)");
        }
        this.frames = List.copyOf(frames);
        this.durability = durability;
        long bytes = 0;
        for (Frame frame : this.frames) {
            bytes += frame.bodyBytes() + RECORD_OVERHEAD_BYTES;
        }
        this.encodedBytes = bytes;
    }

    /** The group's records. */
    public final List<Frame> frames() {
        return frames;
    }

    public final Durability durability() {
        return durability;
    }

    /** Upper estimate of the bytes this group takes in the log and in memory while in flight. */
    public final long encodedBytes() {
        return encodedBytes;
    }

    /** True if any frame is a MSG: such groups are refused when the disk is critical. */
    public boolean publishes() {
        for (Frame frame : frames) {
            if (frame.type() == RecordType.MSG) {
                return true;
            }
        }
        return false;
    }

    /** Durable as asked and folded into lanes and metadata. Thread: shard. Must not block or throw. */
    public abstract void onApplied();

    /**
     * Folds the records, then {@link #onApplied}; for what takes long: some of it. Others have their turn between, but
     * nothing behind it in the log is applied before all of it is. What stands for a record in memory has to follow in the
     * call that folds it, as others would see the one without the other. Thread: shard.
     *
     * @return false if it is to be called again, a little later; true only once all records are folded
     */
    public boolean applySome(Folding records) {
        if (!records.some()) {
            return false;
        }
        onApplied();
        return true;
    }

    /** The records of a group on their way into lanes and metadata, in order. Thread: shard. */
    public interface Folding {
        /** Of a group that is not in the log. */
        Folding NONE = new Folding() {
            @Override
            public void next() {
                throw new IllegalStateException("no record");
            }

            @Override
            public boolean some() {
                return true;
            }
        };

        /** Folds the next record. */
        void next();

        /** Folds as many of the rest as others can wait for; true if none is left. */
        boolean some();
    }

    /**
     * Not taken ({@link StoreState#DISK_CRITICAL}: certainly not stored) or the log has failed
     * ({@link StoreState#FAILED}, {@link StoreState#CLOSED}: outcome unknown). Thread: shard. Must not block or throw.
     */
    public abstract void onFailed(StoreState why);
}
