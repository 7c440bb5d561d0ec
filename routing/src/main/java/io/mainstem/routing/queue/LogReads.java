package io.mainstem.routing.queue;

import io.mainstem.routing.message.Message;
import io.mainstem.store.Entry;
import io.mainstem.store.Lane;
import io.mainstem.store.ShardStore;
import io.mainstem.store.StoreState;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings messages that are no longer in the {@link TailCache} back from the log, some ahead of their turn, within one
 * budget for all queues. Order is the dispatcher's: it waits for the message whose turn it is.
 *
 * <p>A slot counts in the budget as long as it is in its queue's {@link ReadAhead}: whoever takes it out releases it.
 *
 * <p>Thread: shard only; the reads complete on the store's read threads and come back through the mailbox.
 */
final class LogReads {
    private static final Logger LOG = LoggerFactory.getLogger(LogReads.class);
    static final int ENTRIES_AHEAD_MAX = 64;
    private static final long QUEUE_BYTES_AHEAD_MAX = 1 << 20;

    private final Shard shard;
    private final ShardStore store;
    private final TailCache tail;
    private final RecordReads records;
    private final long bytesMax;
    private final int readsMax;
    /** For room in the budget. */
    private final Set<MessageQueue> waiting = new LinkedHashSet<>();
    /** For a read to end, in the order of their turns. */
    private final Set<MessageQueue> turns = new LinkedHashSet<>();

    private long bytes;
    private int underWay;
    private long turnsGiven;

    /**
     * Nothing read yet.
     *
     * @param bytesMax of all that is being read or waits for its turn
     * @param readsMax under way at a time; a quarter of them for one reader
     */
    LogReads(Shard shard, ShardStore store, TailCache tail, long bytesMax, int readsMax) {
        this.shard = shard;
        this.store = store;
        this.tail = tail;
        this.records = new RecordReads(store, shard::post, shard::retryLater);
        this.bytesMax = bytesMax;
        this.readsMax = readsMax;
    }

    /** What of the budget is in use: of all that is being read or waits for its turn. */
    long bytes() {
        return bytes;
    }

    /** Where the tail cache has a message: at the record that made this entry. */
    static long recordLsn(Entry entry) {
        return entry.isRef() ? entry.aux() : entry.lsn();
    }

    /** The entry's message if it is in memory, else null. */
    @Nullable
    Message inMemory(ReadAheadOwner reader, int priority, Entry entry) {
        Message message = tail.get(recordLsn(entry));
        ReadAhead ahead = reader.readAhead();
        if (message == null && ahead != null) {
            message = ahead.get(Held.Stored.key(priority, entry.index()));
        }
        return message;
    }

    /** The entry has been dispatched: its share of the cached message is let go. */
    void dispatched(MessageQueue queue, int priority, Entry entry) {
        tail.dispatched(recordLsn(entry));
        seen(queue, priority, entry);
    }

    /** What was read for the entry is let go. */
    void seen(ReadAheadOwner reader, int priority, Entry entry) {
        ReadAhead ahead = reader.readAhead();
        if (ahead != null) {
            ReadAhead.Slot slot = ahead.remove(Held.Stored.key(priority, entry.index()));
            release(slot);
            dropIfEmpty(reader, ahead);
            if (slot != null && slot.underWay()) {
                // It expired while the queue waits for it: its arrival will not dispatch the queue any more.
                shard.dispatcher().markDirty(reader.queue());
            }
        }
    }

    /**
     * Starts to read the entry and, within {@code entriesMax} and the budget, those behind it. The queue is dispatched
     * again when the first has come, or when there is budget for it.
     */
    void request(ReadAheadOwner reader, int priority, Lane lane, Entry entry, int entriesMax) {
        ReadAhead ahead = reader.readAhead();
        if (ahead == null) {
            ahead = new ReadAhead();
            reader.readAhead(ahead);
        }
        if (!ahead.contains(Held.Stored.key(priority, entry.index()))) {
            if (ahead.size() >= ENTRIES_AHEAD_MAX) {
                dropLoaded(ahead);
            }
            boolean started = start(reader, ahead, priority, entry);
            if (!started && mayRead(ahead)) {
                // What was read for it to come later may be what fills the budget: it must not keep its first one
                // waiting.
                dropLoaded(ahead);
                started = start(reader, ahead, priority, entry);
            }
            if (!started) {
                await(reader, ahead);
                dropIfEmpty(reader, ahead);
                return;
            }
        }
        readFurther(reader, ahead, priority, lane, entry.index(), Math.min(entriesMax, ENTRIES_AHEAD_MAX));
    }

    private void await(ReadAheadOwner reader, ReadAhead ahead) {
        if (underWay >= readsMax) {
            turns.add(reader.queue());
        } else if (mayRead(ahead)) {
            waiting.add(reader.queue());
        }
        // Else one of its own is on its way, and dispatches the queue when it comes.
    }

    /**
     * Lets queues have their turn while there are reads to be had: those that had theirs may have been gone, or have wanted
     * nothing any more. True if there were any.
     */
    boolean giveTurns() {
        int free = readsMax - underWay;
        boolean any = free > 0 && !turns.isEmpty();
        while (free > 0 && giveTurn()) {
            free--;
        }
        return any;
    }

    /** To as many as reads have ended, not to all: thousands of queues may wait. */
    private boolean giveTurn() {
        Iterator<MessageQueue> first = turns.iterator();
        if (!first.hasNext()) {
            return false;
        }
        shard.dispatcher().markDirty(first.next());
        first.remove();
        turnsGiven++;
        return true;
    }

    /** How often queues that waited for a read to end were looked at. For tests. */
    long turnsGiven() {
        return turnsGiven;
    }

    /** Goes on to read ahead while half of what was read is still to be looked at, so that nobody waits for the disk. */
    void keepAhead(ReadAheadOwner reader, int priority, Lane lane, long index) {
        ReadAhead ahead = reader.readAhead();
        if (ahead != null && ahead.size() <= ENTRIES_AHEAD_MAX / 2) {
            readFurther(reader, ahead, priority, lane, index, ENTRIES_AHEAD_MAX);
        }
    }

    /** Nobody wants them now. */
    void discard(ReadAheadOwner reader) {
        ReadAhead ahead = reader.readAhead();
        if (ahead != null) {
            dropLoaded(ahead);
            dropIfEmpty(reader, ahead);
        }
    }

    /** See {@link RecordReads#read}. */
    void read(Entry entry, BiConsumer<@Nullable Message, @Nullable Throwable> to) {
        records.read(entry, to);
    }

    /** See {@link RecordReads#readStored}. */
    void readStored(Entry entry, RecordReads.StoredReader to) {
        records.readStored(entry, to);
    }

    private void readFurther(
            ReadAheadOwner reader, ReadAhead ahead, int priority, Lane lane, long from, int entriesMax) {
        long index = from;
        while (ahead.size() < entriesMax && ahead.bytes() < QUEUE_BYTES_AHEAD_MAX) {
            index = lane.cursor().nextFrom(index + 1);
            Entry entry = index < 0 ? null : lane.entry(index);
            if (entry == null || entry.isLarge() || tail.get(recordLsn(entry)) != null) {
                return;
            }
            if (!ahead.contains(Held.Stored.key(priority, index)) && !start(reader, ahead, priority, entry)) {
                return;
            }
        }
    }

    private boolean start(ReadAheadOwner reader, ReadAhead ahead, int priority, Entry entry) {
        long estimate = (entry.isLarge() ? QUEUE_BYTES_AHEAD_MAX : entry.size()) + TailCache.MESSAGE_OVERHEAD_BYTES;
        boolean noRoom = bytes > 0 && bytes + estimate > bytesMax;
        if (noRoom || !mayRead(ahead)) {
            return false;
        }
        underWay++;
        bytes += estimate;
        ReadAhead.Slot slot = new ReadAhead.Slot(estimate);
        ahead.add(Held.Stored.key(priority, entry.index()), slot);
        read(reader, priority, entry, slot);
        return true;
    }

    private void read(ReadAheadOwner reader, int priority, Entry entry, ReadAhead.Slot slot) {
        records.readOnce(
                entry,
                (stored, message, problem) -> arrived(reader, priority, entry, slot, message, problem),
                why -> failed(reader, priority, entry, slot, why));
    }

    /** The slot stays, so that its reader waits; the turn goes to others meanwhile. */
    private void failed(ReadAheadOwner reader, int priority, Entry entry, ReadAhead.Slot slot, Throwable why) {
        underWay--;
        giveTurn();
        records.pause(entry, why, () -> {
            ReadAhead ahead = reader.readAhead();
            long key = Held.Stored.key(priority, entry.index());
            if (ahead == null || !ahead.holds(key, slot)) {
                return;
            }
            underWay++;
            if (reader.gone()) {
                arrived(reader, priority, entry, slot, null, null);
            } else {
                read(reader, priority, entry, slot);
            }
        });
    }

    /** False while too many reads are under way, whatever room there is. */
    private boolean mayRead(ReadAhead ahead) {
        return underWay < readsMax && ahead.underWay() < readsMax / 4;
    }

    private void arrived(
            ReadAheadOwner reader,
            int priority,
            Entry entry,
            ReadAhead.Slot slot,
            @Nullable Message message,
            @Nullable Throwable problem) {
        underWay--;
        giveTurn();
        ReadAhead ahead = reader.readAhead();
        long key = Held.Stored.key(priority, entry.index());
        if (ahead == null || !ahead.holds(key, slot)) {
            return;
        }
        if (reader.gone()) {
            release(ahead.remove(key));
            dropIfEmpty(reader, ahead);
            return;
        }
        if (message == null) {
            release(ahead.remove(key));
            dropIfEmpty(reader, ahead);
            setAside(reader.queue(), priority, entry, problem);
        } else {
            long before = slot.bytes();
            ahead.loaded(slot, message, message.sectionBytes() + TailCache.MESSAGE_OVERHEAD_BYTES);
            bytes += slot.bytes() - before;
        }
        shard.dispatcher().markDirty(reader.queue());
    }

    /** Damage costs that message only: it stays in its queue, taken by nobody, until the store has been mended. */
    private void setAside(MessageQueue queue, int priority, Entry entry, @Nullable Throwable problem) {
        if (store.state() == StoreState.FAILED) {
            return;
        }
        LOG.error(
                "MS-0341 message unreadable queue={} lane={} index={} lsn={} cause={} "
                        + "fix: stop the broker and run `mainstem store verify`",
                queue.name(),
                priority,
                entry.index(),
                entry.lsn(),
                String.valueOf(problem));
        Lane lane = store.lane(queue.laneId(priority));
        if (lane != null && lane.cursor().nextFrom(entry.index()) == entry.index()) {
            lane.cursor().take(entry.index());
        }
    }

    private void dropLoaded(ReadAhead ahead) {
        for (ReadAhead.Slot slot : ahead.removeLoaded()) {
            release(slot);
        }
    }

    private void release(ReadAhead.@Nullable Slot slot) {
        if (slot == null) {
            return;
        }
        bytes -= slot.bytes();
        // All of them: one alone might be gone, or want nothing any more, and would not pass its turn on.
        waiting.forEach(shard.dispatcher()::markDirty);
        waiting.clear();
    }

    private static void dropIfEmpty(ReadAheadOwner reader, ReadAhead ahead) {
        if (ahead.size() == 0) {
            reader.readAhead(null);
        }
    }
}
