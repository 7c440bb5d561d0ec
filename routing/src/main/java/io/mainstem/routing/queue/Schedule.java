package io.mainstem.routing.queue;

import io.mainstem.store.Entry;
import io.mainstem.store.Lane;
import io.mainstem.store.ScheduleLane;
import io.mainstem.store.ShardStore;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Messages that wait for their time [L-8]. They lie in lanes of one hour each, on disk; only of an hour
 * that has begun or is about to the entries due next are in memory. Thread: shard only.
 */
final class Schedule {
    /** An hour is looked at so long before it begins. */
    private static final long LEAD_MS = 60_000;

    private final Shard shard;
    private final ShardStore store;
    private final DueMessages due;
    private final int nearEntriesMax;
    /** Hours that hold something; the value is null until one is near. */
    private final TreeMap<Long, @Nullable ScheduleHour> hours = new TreeMap<>();

    /** @param nearEntriesMax entries of one hour kept in memory */
    Schedule(Shard shard, ShardStore store, LogReads reads, int nearEntriesMax) {
        this.shard = shard;
        this.store = store;
        this.due = new DueMessages(shard, store, reads);
        this.nearEntriesMax = nearEntriesMax;
    }

    /** Finds what an earlier run has left. */
    void recover() {
        for (Lane lane : store.lanes()) {
            if (ScheduleLane.is(lane.laneId())) {
                hours.put(ScheduleLane.hour(lane.laneId()), null);
            }
        }
    }

    /** The first hour from this one on that may hold something, or null. */
    @Nullable
    Long hourFrom(long hour) {
        return hours.ceilingKey(hour);
    }

    /** A record has made an entry in the lane of this time's hour. */
    void appended(long deliverAtMs) {
        hours.putIfAbsent(ScheduleLane.hour(ScheduleLane.of(deliverAtMs).laneId()), null);
    }

    /** Moves what is due; true if there is more to do at once. */
    boolean run() {
        boolean more = false;
        for (Map.Entry<Long, @Nullable ScheduleHour> each = hours.firstEntry();
                each != null && startMs(each.getKey()) - LEAD_MS <= shard.nowMs();
                each = hours.higherEntry(each.getKey())) {
            ScheduleHour hour = each.getValue();
            if (hour == null) {
                hour = open(each.getKey());
            }
            if (hour != null) {
                more |= hour.read();
                if (!hour.readOnce() || !takeDue(hour)) {
                    // What is due here goes before what is due in later hours.
                    break;
                }
            }
        }
        due.move();
        return more;
    }

    /** Null if it holds nothing any more. */
    private @Nullable ScheduleHour open(long hour) {
        Lane lane = store.lane(ScheduleLane.ofHour(hour).laneId());
        if (lane == null || lane.cursor().unsettled() == 0) {
            hours.remove(hour);
            return null;
        }
        ScheduleHour opened = new ScheduleHour(lane, nearEntriesMax);
        hours.put(hour, opened);
        return opened;
    }

    /** False if there may be more than there is room for: it goes on when some have been moved. */
    private boolean takeDue(ScheduleHour hour) {
        while (due.hasRoom()) {
            long index = hour.takeDue(shard.nowMs());
            if (index < 0) {
                return true;
            }
            due.add(hour.lane(), index);
        }
        return false;
    }

    /** An entry that was taken waits again; its time may have come meanwhile. */
    void giveBack(Lane lane, Entry entry) {
        lane.cursor().giveBack(entry.index());
        ScheduleHour hour = hours.get(ScheduleLane.hour(lane.laneId()));
        if (hour != null) {
            hour.waitsAgain(entry);
        }
    }

    /** Entries of a lane have been settled: an hour that is empty is forgotten. */
    void moved(Lane lane) {
        if (lane.cursor().unsettled() == 0) {
            hours.remove(ScheduleLane.hour(lane.laneId()));
        }
    }

    /**
     * Epoch ms at which there is something to do, or {@link Long#MAX_VALUE}: also while no more can be moved, because
     * the shard is woken when some have been.
     */
    long nextDueMs() {
        if (!due.hasRoom()) {
            return Long.MAX_VALUE;
        }
        for (Map.Entry<Long, @Nullable ScheduleHour> each = hours.firstEntry();
                each != null;
                each = hours.higherEntry(each.getKey())) {
            ScheduleHour hour = each.getValue();
            if (hour == null) {
                return startMs(each.getKey()) - LEAD_MS;
            }
            if (hour.nextDueMs() != Long.MAX_VALUE) {
                return hour.nextDueMs();
            }
        }
        return Long.MAX_VALUE;
    }

    private static long startMs(long hour) {
        return hour * ScheduleLane.HOUR_MS;
    }
}
