package io.mainstem.routing.queue;

import io.mainstem.routing.message.Message;
import java.util.Collection;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The non-durable messages of one queue and priority, oldest first, in chunks that are in memory or in the spool; what is
 * given back returns to its position [T-5]. Thread: shard only.
 */
final class TransientLane {
    private final Transients owner;
    private final int priority;
    /** By first sequence. */
    private final TreeMap<Long, TransientChunk> chunks = new TreeMap<>();
    /** Those of them that are in memory. */
    private final TreeMap<Long, TransientChunk> resident = new TreeMap<>();
    /** Takes new messages; the last of {@link #chunks}. */
    private @Nullable TransientChunk tail;
    /** Where a message was found last. */
    private @Nullable TransientChunk near;

    private long nextSequence;
    /** Nothing below is ready. */
    private long readyFrom;

    private long ready;

    TransientLane(Transients owner, int priority) {
        this.owner = owner;
        this.priority = priority;
    }

    Transients owner() {
        return owner;
    }

    int priority() {
        return priority;
    }

    /** A new message, behind all others. */
    TransientMessage add(Message message, int stamp, long expireAtMs) {
        TransientChunk open = tail;
        if (open == null || open.full(owner.chunkBytes())) {
            open = new TransientChunk(this, nextSequence);
            chunks.put(nextSequence, open);
            resident.put(nextSequence, open);
            tail = open;
        }
        int slot = open.add(message, stamp, expireAtMs);
        nextSequence++;
        ready++;
        return new TransientMessage(open, slot);
    }

    /** Takes a ready message out. */
    void take(TransientMessage message) {
        message.chunk().used = true;
        message.chunk().take(message.slot());
        ready--;
    }

    /** False if it was lost meanwhile. */
    boolean giveBack(TransientMessage message) {
        if (!message.chunk().giveBack(message.slot())) {
            return false;
        }
        ready++;
        readyFrom = Math.min(readyFrom, message.sequence());
        return true;
    }

    /** Oldest ready message at or behind {@code sequence}, or null. */
    @Nullable
    TransientMessage nextFrom(long sequence) {
        if (ready == 0) {
            return null;
        }
        boolean oldest = sequence <= readyFrom;
        long from = Math.max(sequence, readyFrom);
        TransientChunk chunk = chunkAt(from);
        while (chunk != null) {
            int slot = chunk.nextReady((int) Math.max(0, from - chunk.firstSequence()));
            if (slot >= 0) {
                near = chunk;
                if (oldest) {
                    readyFrom = chunk.firstSequence() + slot;
                }
                return new TransientMessage(chunk, slot);
            }
            Map.Entry<Long, TransientChunk> next = chunks.higherEntry(chunk.firstSequence());
            chunk = next == null ? null : next.getValue();
        }
        return null;
    }

    /** The chunk that holds the sequence, or else the next one. */
    private @Nullable TransientChunk chunkAt(long sequence) {
        TransientChunk last = near;
        if (last != null && sequence >= last.firstSequence() && sequence < last.endSequence()) {
            return last;
        }
        Map.Entry<Long, TransientChunk> below = chunks.floorEntry(sequence);
        if (below != null && sequence < below.getValue().endSequence()) {
            return below.getValue();
        }
        Map.Entry<Long, TransientChunk> above = chunks.higherEntry(sequence);
        return above == null ? null : above.getValue();
    }

    /** Sequence of the oldest ready message at or behind another, or -1. */
    long sequenceFrom(long sequence) {
        TransientMessage found = nextFrom(sequence);
        return found == null ? -1 : found.sequence();
    }

    /** True if the message is ready or in flight. */
    boolean live(long sequence) {
        TransientChunk chunk = chunkAt(sequence);
        return chunk != null
                && sequence >= chunk.firstSequence()
                && chunk.live((int) (sequence - chunk.firstSequence()));
    }

    /** The message of a sequence that is {@link #live}, else null. */
    @Nullable
    TransientMessage at(long sequence) {
        TransientChunk chunk = chunkAt(sequence);
        return chunk != null && live(sequence)
                ? new TransientMessage(chunk, (int) (sequence - chunk.firstSequence()))
                : null;
    }

    long ready() {
        return ready;
    }

    /** The chunk behind another, or null. */
    @Nullable
    TransientChunk after(TransientChunk chunk) {
        Map.Entry<Long, TransientChunk> next = chunks.higherEntry(chunk.firstSequence());
        return next == null ? null : next.getValue();
    }

    Collection<TransientChunk> chunks() {
        return chunks.values();
    }

    /** Chunks in memory, the newest first. */
    NavigableMap<Long, TransientChunk> newestResident() {
        return resident.descendingMap();
    }

    /** True if new messages go to it. */
    boolean isOpen(TransientChunk chunk) {
        return tail == chunk;
    }

    /** The sequence of the next new message. */
    long nextSequence() {
        return nextSequence;
    }

    /** It is not what new messages go to any more. */
    void close(TransientChunk chunk) {
        if (tail == chunk) {
            tail = null;
        }
    }

    void nowResident(TransientChunk chunk) {
        resident.put(chunk.firstSequence(), chunk);
    }

    void notResident(TransientChunk chunk) {
        resident.remove(chunk.firstSequence());
    }

    /** All its messages are gone. */
    void remove(TransientChunk chunk) {
        chunks.remove(chunk.firstSequence());
        resident.remove(chunk.firstSequence());
        if (near == chunk) {
            near = null;
        }
        close(chunk);
    }

    /** So many ready ones are gone without having been taken. */
    void readyGone(int count) {
        ready -= count;
    }
}
