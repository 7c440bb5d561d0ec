package io.mainstem.routing.queue;

import io.mainstem.routing.message.Message;
import io.mainstem.store.Entry;
import io.mainstem.store.Lane;
import io.mainstem.store.Settlement;
import io.mainstem.store.ShardStore;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queues that keep the last value of each key (ADR 0049): a message that arrives settles the one of its key that waits. It
 * is looked at before the queue is dispatched again, so nobody is given a value when a newer one is there; messages that are
 * not in memory, as all after a start, are read for their key, in order. Thread: shard only.
 */
final class LastValueQueues {
    private static final Logger LOG = LoggerFactory.getLogger(LastValueQueues.class);
    /** All messages of such a queue are in this lane: their order is that of their arrival. */
    static final int PRIORITY = 4;

    private static final int LOOKS_PER_TURN = 512;
    private static final int QUEUES_PER_TURN = 8;
    private static final int READS_MAX = 32;
    private static final int FETCHES_MAX = 256;
    private static final long TELL_MS = 60_000;

    private final Shard shard;
    private final ShardStore store;
    private final LastValueBudget budget;
    /** With messages that can be looked at now; those that wait for something to be read come back when it is there. */
    private final Set<MessageQueue> behind = new LinkedHashSet<>();

    /** Looks of an iteration. */
    private final TurnBudget looks;
    /** Of these, those of one queue. */
    private final TurnBudget turn = new TurnBudget(LOOKS_PER_TURN);

    private long toldMs = Long.MIN_VALUE;

    /** @param looks of an iteration */
    LastValueQueues(Shard shard, ShardStore store, LastValueBudget budget, TurnBudget looks) {
        this.shard = shard;
        this.store = store;
        this.budget = budget;
        this.looks = looks;
    }

    /** Heap that keys take. */
    LastValueBudget budget() {
        return budget;
    }

    /** What the queue holds is from an earlier run. */
    void recovered(MessageQueue queue) {
        LastValues values = queue.lastValues();
        Lane lane = store.lane(queue.laneId(PRIORITY));
        if (values != null && lane != null) {
            values.recovered(lane.cursor().floor(), lane.nextIndex());
            if (values.behind()) {
                behind.add(queue);
            }
        }
    }

    /** One more message has come into the queue's stored lane; to be told of each. */
    void stored(MessageQueue queue) {
        LastValues values = queue.lastValues();
        if (values != null) {
            values.stored();
            arrived(queue, values);
        }
    }

    /** One more message has come into the queue's lane in memory; to be told of each. */
    void inMemory(MessageQueue queue) {
        LastValues values = queue.lastValues();
        if (values != null) {
            values.inMemory();
            arrived(queue, values);
        }
    }

    private void arrived(MessageQueue queue, LastValues values) {
        // At once if it is the only one: limits and the dispatcher then see the queue as it is.
        turn.renew(1);
        if (!behind.contains(queue) && goOn(queue, values) == Step.LATER) {
            behind.add(queue);
        }
    }

    /** True if the queue waits to be looked at: nothing of it may be handed out. */
    boolean behind(MessageQueue queue) {
        LastValues values = queue.lastValues();
        return values != null && values.behind();
    }

    /** True if what the queue holds of its room is not known, because replaced messages are about to leave it. */
    boolean settling(MessageQueue queue) {
        LastValues values = queue.lastValues();
        return values != null && (values.behind() || values.fetching > 0);
    }

    /** Looks at messages that could not be looked at when they came; true if there is more to do at once. */
    boolean run() {
        looks.renew();
        for (MessageQueue queue : first(QUEUES_PER_TURN)) {
            if (looks.spent()) {
                return true;
            }
            int given = Math.min(LOOKS_PER_TURN, looks.left());
            turn.renew(given);
            behind.remove(queue);
            LastValues values = queue.lastValues();
            Step step = queue.deleted() || values == null ? Step.NOTHING : goOn(queue, values);
            looks.spend(1 + given - turn.left());
            if (step == Step.NOTHING) {
                shard.dispatcher().markDirty(queue);
            } else if (step == Step.LATER) {
                behind.add(queue); // behind the others
            }
        }
        return !behind.isEmpty();
    }

    private List<MessageQueue> first(int count) {
        return behind.isEmpty() ? List.of() : behind.stream().limit(count).toList();
    }

    /** What the queue waited for is there. */
    private void lookAgain(MessageQueue queue) {
        behind.add(queue);
    }

    /** NOTHING = all have been looked at, WAITING = something is on its way, LATER = there are more. */
    private Step goOn(MessageQueue queue, LastValues values) {
        while (!turn.spent() && values.behind()) {
            turn.spend(1);
            if (values.waiting || values.fetching >= FETCHES_MAX) {
                return Step.WAITING;
            }
            boolean looked = values.nextIsStored() ? lookAtStored(queue, values) : lookInMemory(queue, values);
            if (!looked) {
                return Step.WAITING;
            }
        }
        return values.behind() ? Step.LATER : Step.NOTHING;
    }

    private boolean lookAtStored(MessageQueue queue, LastValues values) {
        long index = values.next();
        Lane lane = store.lane(queue.laneId(PRIORITY));
        long floor = lane == null ? values.end() : Math.min(lane.cursor().floor(), values.end());
        if (lane == null || index < floor || lane.cursor().settled(index)) {
            long last = Math.max(index, floor - 1);
            values.looks.keySet().removeIf(each -> each <= last);
            values.seen(last);
            return true;
        }
        LastValues.Look look = values.looks.get(index);
        if (look == null) {
            Entry entry = lane.entry(index);
            if (entry == null) {
                fetch(queue, values, lane, index);
                return false;
            }
            Message message = shard.reads().inMemory(queue, PRIORITY, entry);
            if (message == null) {
                readAhead(queue, values, lane, index);
                return false;
            }
            values.seen(index);
            newest(queue, values, values.key.of(message), Held.Stored.key(PRIORITY, index));
            return true;
        }
        if (!look.read) {
            return false;
        }
        values.looks.remove(index);
        values.seen(index);
        readAhead(queue, values, lane, index + 1);
        newest(queue, values, look.key, Held.Stored.key(PRIORITY, index));
        return true;
    }

    private void fetch(MessageQueue queue, LastValues values, Lane lane, long index) {
        values.waiting = true;
        lane.fetch(index, () -> {
            values.waiting = false;
            lookAgain(queue);
        });
    }

    /** Reads what is not read of the next ones, a large message alone. */
    private void readAhead(MessageQueue queue, LastValues values, Lane lane, long from) {
        long end = values.behind() && values.nextIsStored() ? values.end() : from;
        for (long index = from; index < end && values.looks.size() < READS_MAX; index++) {
            if (lane.cursor().settled(index) || values.looks.containsKey(index)) {
                continue;
            }
            Entry entry = lane.entry(index);
            if (entry == null || (entry.isLarge() && !values.looks.isEmpty())) {
                return;
            }
            LastValues.Look look = new LastValues.Look();
            values.looks.put(index, look);
            shard.reads().read(entry, (message, problem) -> {
                look.read = true;
                // One that cannot be read has no key; whoever is to deliver it finds and reports it.
                look.key = message == null ? null : values.key.of(message);
                lookAgain(queue);
            });
        }
    }

    private boolean lookInMemory(MessageQueue queue, LastValues values) {
        long sequence = values.next();
        TransientLane lane = queue.transientLane(PRIORITY);
        TransientMessage found = lane == null || !lane.live(sequence) ? null : lane.at(sequence);
        if (found == null) {
            values.seen(sequence);
            return true;
        }
        Message message = found.message();
        if (message == null) {
            values.waiting = true;
            shard.transients().fetch(found, () -> {
                values.waiting = false;
                lookAgain(queue);
            });
            return false;
        }
        values.seen(sequence);
        newest(queue, values, values.key.of(message), Held.InMemory.key(found));
        return true;
    }

    private void newest(MessageQueue queue, LastValues values, LastValueKey.@Nullable Digest key, long place) {
        if (key == null) {
            return;
        }
        long before = values.index.put(key, place, each -> !shard.outcomes().gone(queue, each));
        if (before == LastValueIndex.FULL) {
            tellFull(queue, values);
        } else if (before != LastValueIndex.NONE && !shard.outcomes().gone(queue, before)) {
            replace(queue, values, before);
        }
    }

    private void replace(MessageQueue queue, LastValues values, long place) {
        if (!shard.outcomes().ready(queue, place)) {
            values.supersede(place, each -> !shard.outcomes().gone(queue, each));
            return;
        }
        long position = Outcomes.position(place);
        if (place < 0) {
            TransientLane lane = queue.transientLane(PRIORITY);
            TransientMessage message = lane == null ? null : lane.at(position);
            if (lane != null && message != null) {
                lane.take(message);
                shard.outcomes().done(new Held.InMemory(queue, message), Settlement.Kind.DROPPED);
            }
            return;
        }
        Lane lane = store.lane(queue.laneId(PRIORITY));
        if (lane != null) {
            lane.cursor().take(position);
            Entry entry = lane.entry(position);
            if (entry != null) {
                settle(queue, values, entry);
            } else {
                values.fetching++;
                lane.fetch(position, () -> fetched(queue, values, lane, position));
            }
        }
    }

    private void fetched(MessageQueue queue, LastValues values, Lane lane, long index) {
        values.fetching--;
        lookAgain(queue);
        if (queue.deleted() || index < lane.firstIndex() || lane.cursor().settled(index)) {
            return;
        }
        Entry entry = lane.entry(index);
        if (entry != null) {
            settle(queue, values, entry);
        } else {
            values.fetching++;
            lane.fetch(index, () -> fetched(queue, values, lane, index));
        }
    }

    private void settle(MessageQueue queue, LastValues values, Entry entry) {
        Held.Stored held = new Held.Stored(queue, PRIORITY, entry);
        values.leaving.add(held, store);
        shard.outcomes().done(held, Settlement.Kind.DROPPED);
        shard.reads().dispatched(queue, PRIORITY, entry);
    }

    private void tellFull(MessageQueue queue, LastValues values) {
        if (toldMs == Long.MIN_VALUE || shard.nowMs() - toldMs >= TELL_MS) {
            toldMs = shard.nowMs();
            LOG.warn(
                    "MS-0392 last-values-full queue={} keys={} bytes={} limit={}: messages of further keys are kept as"
                            + " in any queue fix: raise shard.last-value-bytes-max",
                    queue.name(),
                    values.index.keys(),
                    budget.bytes(),
                    budget.bytesMax());
        }
    }
}
