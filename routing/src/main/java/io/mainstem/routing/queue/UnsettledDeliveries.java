package io.mainstem.routing.queue;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What one consumer has not settled yet, by delivery id. Ids are dense and mostly settled in order, so a ring of slots
 * does; a few ids left far behind move to a map, so that one stuck delivery does not make the ring grow without end.
 *
 * <p>Thread: shard only.
 */
final class UnsettledDeliveries {
    private static final int SLOTS_MIN = 16;

    private @Nullable Held[] slots = new Held[SLOTS_MIN];
    private long base;
    private long end;
    private int inRing;
    private @Nullable NavigableMap<Long, Held> stragglers;

    /** Number of unsettled deliveries. */
    int size() {
        return inRing + (stragglers == null ? 0 : stragglers.size());
    }

    /** Slots of the ring: the memory it takes, whatever the number of deliveries. */
    int slots() {
        return slots.length;
    }

    /** @param deliveryId the id after the last one added */
    void add(long deliveryId, Held held) {
        if (inRing == 0) {
            base = deliveryId;
        } else if (deliveryId - base >= slots.length) {
            makeRoom(deliveryId);
        }
        slots[slot(deliveryId)] = held;
        end = deliveryId + 1;
        inRing++;
    }

    /** Takes the delivery out, or returns null if it is settled already [T-6]. */
    @Nullable
    Held remove(long deliveryId) {
        if (deliveryId < base || deliveryId >= end) {
            return stragglers == null ? null : stragglers.remove(deliveryId);
        }
        int slot = slot(deliveryId);
        Held held = slots[slot];
        if (held != null) {
            slots[slot] = null;
            inRing--;
            advanceBase();
        }
        return held;
    }

    /** Takes out deliveries with ids from {@code first} to {@code last}, in id order, at most so many. */
    List<Numbered> takeRange(long first, long last, int max) {
        List<Numbered> taken = new ArrayList<>(Math.min(max, size()));
        if (stragglers != null && first < base && first <= last) {
            Iterator<Map.Entry<Long, Held>> old =
                    stragglers.subMap(first, true, last, true).entrySet().iterator();
            while (old.hasNext() && taken.size() < max) {
                Map.Entry<Long, Held> each = old.next();
                taken.add(new Numbered(each.getKey(), each.getValue()));
                old.remove();
            }
        }
        long to = Math.min(last, end - 1);
        for (long id = Math.max(first, base); id <= to && taken.size() < max; id++) {
            Held held = remove(id);
            if (held != null) {
                taken.add(new Numbered(id, held));
            }
        }
        return taken;
    }

    /** One delivery that was taken out. */
    record Numbered(long deliveryId, Held held) {}

    /** Takes a delivery back that was taken out: it is unsettled again. */
    void putBack(long deliveryId, Held held) {
        if (inRing > 0 && deliveryId >= base && deliveryId < end) {
            slots[slot(deliveryId)] = held;
            inRing++;
            return;
        }
        stragglers().put(deliveryId, held);
    }

    private NavigableMap<Long, Held> stragglers() {
        NavigableMap<Long, Held> map = stragglers;
        if (map == null) {
            map = new TreeMap<>();
            stragglers = map;
        }
        return map;
    }

    private void advanceBase() {
        while (base < end && slots[slot(base)] == null) {
            base++;
        }
    }

    private void makeRoom(long deliveryId) {
        if (inRing < slots.length / 4 && slots.length > SLOTS_MIN) {
            moveOldestToStragglers(deliveryId - slots.length / 2);
            return;
        }
        @Nullable Held[] larger = new Held[slots.length * 2];
        for (long id = base; id < end; id++) {
            larger[(int) (id & (larger.length - 1))] = slots[slot(id)];
        }
        slots = larger;
    }

    private void moveOldestToStragglers(long below) {
        NavigableMap<Long, Held> map = stragglers();
        for (long id = base; id < below && id < end; id++) {
            Held held = slots[slot(id)];
            if (held != null) {
                map.put(id, held);
                slots[slot(id)] = null;
                inRing--;
            }
        }
        base = Math.min(below, end);
        advanceBase();
    }

    private int slot(long deliveryId) {
        return (int) (deliveryId & (slots.length - 1));
    }
}
