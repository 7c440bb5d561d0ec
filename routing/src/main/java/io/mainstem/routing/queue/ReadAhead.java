package io.mainstem.routing.queue;

import io.mainstem.routing.message.Message;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Messages of one queue that are being read from the log, or were read and wait for their turn; by {@link Held#key}.
 * Thread: shard only.
 */
final class ReadAhead {
    private final Map<Long, Slot> slots = new HashMap<>();
    private long bytes;
    private int underWay;

    boolean contains(long key) {
        return slots.containsKey(key);
    }

    /** True if the key's slot is this one, not a later one. */
    boolean holds(long key, Slot slot) {
        return slots.get(key) == slot;
    }

    void add(long key, Slot slot) {
        slots.put(key, slot);
        bytes += slot.bytes;
        underWay++;
    }

    /** The message if it has been read, else null. */
    @Nullable
    Message get(long key) {
        Slot slot = slots.get(key);
        return slot == null ? null : slot.message;
    }

    @Nullable
    Slot remove(long key) {
        Slot slot = slots.remove(key);
        if (slot != null) {
            bytes -= slot.bytes;
            underWay -= slot.underWay() ? 1 : 0;
        }
        return slot;
    }

    /** The true size is known now. */
    void loaded(Slot slot, Message message, long trueBytes) {
        slot.message = message;
        underWay--;
        bytes += trueBytes - slot.bytes;
        slot.bytes = trueBytes;
    }

    /** Takes out those that were read; reads under way go on. */
    List<Slot> removeLoaded() {
        List<Slot> removed = new ArrayList<>();
        slots.values().removeIf(slot -> slot.message != null && removed.add(slot));
        for (Slot slot : removed) {
            bytes -= slot.bytes;
        }
        return removed;
    }

    /** Slots whose message has not come yet. */
    int underWay() {
        return underWay;
    }

    int size() {
        return slots.size();
    }

    /** Heap of what was read and is being read, estimated. */
    long bytes() {
        return bytes;
    }

    /** One message on its way from the log. */
    static final class Slot {
        private @Nullable Message message;
        private long bytes;

        Slot(long bytes) {
            this.bytes = bytes;
        }

        long bytes() {
            return bytes;
        }

        /** True if it has not come yet. */
        boolean underWay() {
            return message == null;
        }
    }
}
