package io.mainstem.routing.queue;

import io.mainstem.store.Cursor;
import io.mainstem.store.Entry;
import io.mainstem.store.Lane;
import io.mainstem.store.ScheduleLane;

/**
 * One hour whose time has come or is near: reads its lane from the oldest entry on, keeps what is due next in memory, and
 * goes on with entries that are still coming in. The lane is in order of arrival; an hour that holds more than fits
 * memory is read several times, which costs 32 bytes an entry and no writing. Thread: shard only.
 */
final class ScheduleHour {
    private static final int ENTRIES_PER_LOOK = 4096;

    private final Lane lane;
    private final long startMs;
    private final int entriesMax;
    private final NearEntries near;
    /** Where reading goes on. */
    private long readFrom;
    /** Entries below that lie before this key are in memory or done with already. */
    private long knownBelowIndex;

    private long knownBelowKey;
    private boolean fetching;
    private boolean readOnce;

    /** @param entriesMax entries kept in memory, at least; at most twice as many */
    ScheduleHour(Lane lane, int entriesMax) {
        this.lane = lane;
        this.startMs = ScheduleLane.hour(lane.laneId()) * ScheduleLane.HOUR_MS;
        this.entriesMax = entriesMax;
        this.near = new NearEntries(entriesMax, lane.firstIndex());
        this.readFrom = lane.firstIndex();
    }

    Lane lane() {
        return lane;
    }

    /**
     * Reads some more of the lane; a part of it that is on disk comes in a later poll of the store.
     *
     * @return true if there is more to read at once
     */
    boolean read() {
        if (fetching) {
            return false;
        }
        if (readFrom >= lane.nextIndex() && !readAgain()) {
            return false;
        }
        Cursor cursor = lane.cursor();
        for (int left = ENTRIES_PER_LOOK; left > 0; left--) {
            long index = cursor.nextFrom(readFrom);
            if (index < 0) {
                readFrom = lane.nextIndex();
                readOnce = true;
                return false;
            }
            Entry entry = lane.entry(index);
            if (entry == null) {
                fetching = true;
                lane.fetch(index, () -> fetching = false);
                return false;
            }
            long key = key(entry);
            if (key >= knownBelowKey || index >= knownBelowIndex) {
                near.add(key);
            }
            readFrom = index + 1;
        }
        return true;
    }

    private long key(Entry entry) {
        return near.key(Math.max(0, entry.expireAtMs() - startMs), entry.index());
    }

    /** An entry that was taken, and may have been passed by meanwhile. */
    void waitsAgain(Entry entry) {
        near.add(key(entry));
    }

    /** True once all that had come by then has been seen: only from then on the first in memory is the first. */
    boolean readOnce() {
        return readOnce;
    }

    /** Begins anew if entries were forgotten and few are left before them. */
    private boolean readAgain() {
        if (near.horizon() == NearEntries.NO_HORIZON || near.size() > entriesMax / 4) {
            return false;
        }
        knownBelowKey = near.horizon();
        knownBelowIndex = lane.nextIndex();
        near.forgetHorizon();
        readFrom = lane.firstIndex();
        return true;
    }

    /** Epoch ms at which the first of those in memory is due, or {@link Long#MAX_VALUE}. */
    long nextDueMs() {
        return near.size() == 0 ? Long.MAX_VALUE : startMs + NearEntries.msInHour(near.first());
    }

    /** Takes the first one that is due and still waits; -1 if there is none. */
    long takeDue(long nowMs) {
        while (nextDueMs() <= nowMs) {
            long index = near.index(near.removeFirst());
            if (lane.cursor().nextFrom(index) == index) {
                lane.cursor().take(index);
                return index;
            }
        }
        return -1;
    }
}
