package io.mainstem.routing.queue;

import io.mainstem.routing.message.Message;
import io.mainstem.store.spool.SpoolBlock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Neighbouring messages of a transient lane, which go to the spool and come back together. What stays in memory of a
 * chunk that is on disk is this object: who is ready, taken or gone, and between when and when they expire.
 *
 * <p>Thread: shard only; {@link Contents} any.
 */
final class TransientChunk {
    static final int SLOTS_MAX = 1024;
    private static final int SLOTS_MIN = 4;

    /** Where the messages are. */
    enum Place {
        MEMORY,
        /** In memory still, and on their way to disk. */
        WRITING,
        DISK,
        /** On their way back. */
        READING
    }

    /**
     * The messages that were there at one moment, for the spool's thread.
     *
     * @param slots ascending
     */
    record Contents(int[] slots, long[] expireAtMs, List<Message> messages) {}

    private final TransientLane lane;
    private final long firstSequence;
    /** Null while they are on disk; what is gone is null in it. */
    private @Nullable Message @Nullable [] messages = new Message[SLOTS_MIN];
    /** Null if none of them expires. */
    private long @Nullable [] expireAtMs;

    /** That of each message's route, also of those on disk; null if none has one. */
    private byte @Nullable [] stamps;

    private final BitSet live = new BitSet();
    private final BitSet ready = new BitSet();
    private @Nullable BitSet acquired;
    /** Of those: somebody may have seen it. */
    private @Nullable BitSet seen;

    private @Nullable Map<Integer, Integer> failed;
    private int slots;
    private int left;
    private long bytes;
    private long earliestMs = Long.MAX_VALUE;
    private long latestMs;
    private boolean expiryMixed;
    private @Nullable SpoolBlock block;
    private Place place = Place.MEMORY;
    private List<Runnable> whenRead = List.of();

    /** Kept by {@link TransientEviction}: somebody has looked at its messages lately. */
    boolean used;
    /** Kept by {@link TransientSpool}: it cannot be written. */
    boolean staysInMemory;

    TransientChunk(TransientLane lane, long firstSequence) {
        this.lane = lane;
        this.firstSequence = firstSequence;
    }

    TransientLane lane() {
        return lane;
    }

    long firstSequence() {
        return firstSequence;
    }

    /** The sequence behind the last one. */
    long endSequence() {
        return firstSequence + slots;
    }

    Place place() {
        return place;
    }

    void place(Place newPlace) {
        place = newPlace;
    }

    boolean inMemory() {
        return messages != null;
    }

    /** Messages that are not gone. */
    int left() {
        return left;
    }

    /** What they take on the heap, or would. */
    long bytes() {
        return bytes;
    }

    /** What they take on the heap now. */
    long residentBytes() {
        return messages == null ? 0 : bytes;
    }

    /** Where they are on disk, be they in memory too or not. */
    @Nullable
    SpoolBlock block() {
        return block;
    }

    int add(Message message, int stamp, long expiresAtMs) {
        @Nullable Message[] all = messages;
        if (all == null) {
            throw new IllegalStateException("transient chunk " + firstSequence + ": is closed");
        }
        int slot = slots++;
        if (slot == all.length) {
            all = Arrays.copyOf(all, slot * 2);
            messages = all;
        }
        all[slot] = message;
        if (stamp != 0) {
            stamp(slot, (byte) stamp, all.length);
        }
        if (expiresAtMs != 0) {
            expireAt(slot, expiresAtMs);
        }
        live.set(slot);
        ready.set(slot);
        left++;
        bytes += bytes(message);
        return slot;
    }

    private void stamp(int slot, byte stamp, int room) {
        byte[] its = stamps;
        if (its == null || slot >= its.length) {
            its = its == null ? new byte[room] : Arrays.copyOf(its, room);
            stamps = its;
        }
        its[slot] = stamp;
    }

    int stamp(int slot) {
        return stamps == null || slot >= stamps.length ? 0 : stamps[slot];
    }

    private void expireAt(int slot, long atMs) {
        long[] times = expireAtMs;
        if (times == null || slot >= times.length) {
            times = times == null ? new long[Math.max(SLOTS_MIN, slot + 1)] : Arrays.copyOf(times, slot * 2);
            expireAtMs = times;
        }
        times[slot] = atMs;
        earliestMs = Math.min(earliestMs, atMs);
        latestMs = Math.max(latestMs, atMs);
    }

    /** Takes no more messages once it has so many, or so many bytes. */
    boolean full(long bytesMax) {
        return slots >= SLOTS_MAX || bytes >= bytesMax;
    }

    /** No message, and so small that the next ones may as well go in here. */
    boolean worthKeeping() {
        return slots < 4 * SLOTS_MIN;
    }

    /** The lowest ready slot at or above another, or -1. */
    int nextReady(int slot) {
        return ready.nextSetBit(slot);
    }

    int readyCount() {
        return ready.cardinality();
    }

    void take(int slot) {
        ready.clear(slot);
    }

    /** Ready again; false if it was lost meanwhile. */
    boolean giveBack(int slot) {
        if (!live.get(slot)) {
            return false;
        }
        ready.set(slot);
        return true;
    }

    boolean live(int slot) {
        return live.get(slot);
    }

    /** @return bytes that are freed, of the messages themselves; on disk they are known on average only */
    long gone(int slot) {
        if (!live.get(slot)) {
            return 0;
        }
        Message message = message(slot);
        long freed = message == null ? bytes / left : bytes(message);
        live.clear(slot);
        ready.clear(slot);
        left--;
        bytes -= freed;
        if (messages != null) {
            messages[slot] = null;
        }
        return freed;
    }

    @Nullable
    Message message(int slot) {
        return messages == null ? null : messages[slot];
    }

    long expireAtMs(int slot) {
        return expireAtMs == null || slot >= expireAtMs.length ? 0 : expireAtMs[slot];
    }

    /** No message expires before, epoch ms. */
    long earliestMs() {
        return earliestMs;
    }

    /** All messages that expire have expired then, epoch ms; 0 = none expires. */
    long latestMs() {
        return latestMs;
    }

    /** Of messages on disk: one expires before another that stands in front of it. */
    boolean expiryMixed() {
        return expiryMixed;
    }

    int failed(int slot) {
        return failed == null ? 0 : failed.getOrDefault(slot, 0);
    }

    boolean acquired(int slot) {
        return acquired != null && acquired.get(slot);
    }

    boolean seen(int slot) {
        return seen != null && seen.get(slot);
    }

    void wasAcquired(int slot, boolean asFailed, boolean unseen) {
        BitSet those = acquired;
        if (those == null) {
            those = new BitSet();
            acquired = those;
        }
        those.set(slot);
        if (!unseen) {
            BitSet both = seen;
            if (both == null) {
                both = new BitSet();
                seen = both;
            }
            both.set(slot);
        }
        if (asFailed) {
            Map<Integer, Integer> counts = failed;
            if (counts == null) {
                counts = new HashMap<>();
                failed = counts;
            }
            counts.merge(slot, 1, Integer::sum);
        }
    }

    // ---- between memory and disk -----------------------------------------------------------------------------

    /** What is to be written. */
    Contents contents() {
        int[] which = live.stream().toArray();
        List<Message> all = new ArrayList<>(which.length);
        long[] times = new long[which.length];
        for (int at = 0; at < which.length; at++) {
            Message message = message(which[at]);
            if (message == null) {
                throw new IllegalStateException("transient chunk " + firstSequence + ": is not in memory");
            }
            all.add(message);
            times[at] = expireAtMs(which[at]);
        }
        return new Contents(which, times, all);
    }

    /** They are on disk from now on, too. */
    void written(SpoolBlock newBlock) {
        block = newBlock;
    }

    /** Out of memory. */
    void forgetMessages() {
        earliestMs = Long.MAX_VALUE;
        latestMs = 0;
        expiryMixed = false;
        for (int slot = live.nextSetBit(0); slot >= 0; slot = live.nextSetBit(slot + 1)) {
            long atMs = expireAtMs(slot);
            if (atMs != 0) {
                expiryMixed |= atMs < latestMs;
                earliestMs = Math.min(earliestMs, atMs);
                latestMs = Math.max(latestMs, atMs);
            }
        }
        messages = null;
        expireAtMs = null;
        place = Place.DISK;
    }

    /** Back in memory; their true size is known again. */
    void remember(Contents contents) {
        @Nullable Message[] all = new Message[slots];
        long[] times = new long[slots];
        boolean expires = false;
        bytes = 0;
        for (int at = 0; at < contents.slots.length; at++) {
            int slot = contents.slots[at];
            if (live.get(slot)) {
                all[slot] = contents.messages.get(at);
                times[slot] = contents.expireAtMs[at];
                expires |= times[slot] != 0;
                bytes += bytes(contents.messages.get(at));
            }
        }
        messages = all;
        expireAtMs = expires ? times : null;
        place = Place.MEMORY;
    }

    /** To be run when they are in memory again, or are lost. */
    void whenRead(Runnable task) {
        if (whenRead.isEmpty()) {
            whenRead = new ArrayList<>(1);
        }
        whenRead.add(task);
    }

    List<Runnable> takeWhenRead() {
        List<Runnable> tasks = whenRead;
        whenRead = List.of();
        return tasks;
    }

    /** Heap one message takes, estimated. */
    static long bytes(Message message) {
        return message.sectionBytes() + TailCache.MESSAGE_OVERHEAD_BYTES;
    }
}
