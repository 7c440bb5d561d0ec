package io.mainstem.routing.queue;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.Roaring64Bitmap;

/**
 * Lets one message of a group go at a time, in the order of the queue, where a failed one has to wait: its group waits
 * behind it, all other groups go on (ADR 0039). Only groups that have a message under way, or waiting to be, take memory;
 * a message that stands behind takes a few bits. Messages go by {@link Held#key}. Thread: shard only.
 */
final class GroupOrder {
    /** No message. */
    static final long NONE = Long.MIN_VALUE;

    private static final int PRIORITY_SHIFT = 56;
    private static final int PRIORITY_MAX = 127;
    private static final long POSITION_MASK = (1L << PRIORITY_SHIFT) - 1;

    private final Map<String, Turn> turns = new HashMap<>();
    /** Of those whose turn it is. */
    private final Map<Long, String> groupOf = new HashMap<>();

    /** One group. */
    private static final class Turn {
        private long key;
        /** By {@link #place}. */
        private @Nullable Roaring64Bitmap behind;

        Turn(long key) {
            this.key = key;
        }
    }

    boolean isEmpty() {
        return turns.isEmpty();
    }

    /**
     * True if it is this message's turn; from then on it is until {@link #left}. Else it stands behind the one whose turn
     * it is, and is told by {@link #left}.
     *
     * @param ordered false = nothing new is ordered, but what stands behind another goes on to do so
     */
    boolean mayGo(String group, long key, boolean ordered) {
        Turn turn = turns.get(group);
        if (turn == null) {
            if (ordered) {
                turns.put(group, new Turn(key));
                groupOf.put(key, group);
            }
            return true;
        }
        if (turn.key == key) {
            return true;
        }
        Roaring64Bitmap behind = turn.behind;
        if (behind == null) {
            behind = new Roaring64Bitmap();
            turn.behind = behind;
        }
        behind.addLong(place(key));
        return false;
    }

    /**
     * A message has left the queue, or will.
     *
     * @param ready tells whether a message can be delivered still
     * @return the one whose turn it is now, or {@link #NONE}
     */
    long left(long key, LongPredicate ready) {
        String group = groupOf.remove(key);
        Turn turn = group == null ? null : turns.get(group);
        if (group == null || turn == null) {
            return NONE;
        }
        Roaring64Bitmap behind = turn.behind;
        while (behind != null && !behind.isEmpty()) {
            long first = behind.first();
            behind.removeLong(first);
            long next = key(first);
            if (ready.test(next)) {
                turn.key = next;
                groupOf.put(next, group);
                return next;
            }
        }
        turns.remove(group);
        return NONE;
    }

    /** Keys of those whose turn it is. */
    long[] current() {
        return groupOf.keySet().stream().mapToLong(Long::longValue).toArray();
    }

    /** Ascending in the order of the queue: by priority, the highest first; of one priority what is stored first. */
    private static long place(long key) {
        long inMemory = key < 0 ? 1L : 0;
        long priority = key >>> PRIORITY_SHIFT & PRIORITY_MAX;
        return (PRIORITY_MAX - priority) << PRIORITY_SHIFT | inMemory << (PRIORITY_SHIFT - 1) | (key & POSITION_MASK);
    }

    private static long key(long place) {
        long priority = PRIORITY_MAX - (place >>> PRIORITY_SHIFT & PRIORITY_MAX);
        boolean inMemory = (place >>> (PRIORITY_SHIFT - 1) & 1) != 0;
        long position = place & (POSITION_MASK >>> 1);
        return (inMemory ? Long.MIN_VALUE : 0) | priority << PRIORITY_SHIFT | position;
    }
}
