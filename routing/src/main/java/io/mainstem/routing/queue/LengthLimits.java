package io.mainstem.routing.queue;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.RefusingQueue;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.queue.LengthLimit.Overflow;
import io.mainstem.store.Entry;
import io.mainstem.store.Lane;
import io.mainstem.store.Route;
import io.mainstem.store.Settlement;
import io.mainstem.store.ShardStore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Holds queues to their {@link LengthLimit}: what is too much is refused, with what is on its way counted, or goes, or its publishers
 * wait; then what is under way still comes in. Thread: shard only.
 */
final class LengthLimits {
    static final String REASON = "maxlen";

    private static final int DROPS_PER_TURN = 256;
    private static final int LOOKS_PER_TURN = 64;

    private final Shard shard;
    private final ShardStore store;
    /** Ids of queues that refuse publishes; read by event loops. */
    private final Set<Integer> refusing;

    private final QueueCatalog queues;
    /** Queues above their limit. */
    private final Map<MessageQueue, Full> full = new HashMap<>();

    private final LinkedHashSet<MessageQueue> looks = new LinkedHashSet<>();
    private final TurnBudget budget;

    /** @param budget of an iteration: queues that are looked at, messages that are dropped */
    LengthLimits(Shard shard, ShardStore store, QueueCatalog queues, TurnBudget budget) {
        this.budget = budget;
        this.shard = shard;
        this.store = store;
        this.queues = queues;
        this.refusing = queues.refusing();
    }

    /**
     * The queue has one more message.
     *
     * @param publisher whose it is, or null if nobody can be held back for it
     */
    void arrived(MessageQueue queue, @Nullable ShardPeer publisher) {
        LengthLimit limit = queue.options().lengthLimit();
        if (limit == null || !above(queue, limit, full.get(queue), room(limit))) {
            return;
        }
        Full state = full.get(queue);
        if (state == null) {
            state = new Full();
            full.put(queue, state);
            looks.add(queue);
        }
        if (limit.overflow().refuses()) {
            refusing.add(queue.id());
        } else if (limit.overflow() == Overflow.BLOCK && publisher != null) {
            publisher.hold(state.heldBack, "queue '" + queue.name() + "' is full (x-max-length or x-max-length-bytes)");
        }
    }

    /** Why a queue refuses a message, or null if all have room, with what is on its way to them. */
    @Nullable
    BrokerException refusal(Destinations to, Message message) {
        if (to.limited()) {
            for (MessageQueue queue : refusing(to)) {
                LengthLimit limit = queue.options().lengthLimit();
                if (limit != null && !hasRoom(queue, limit)) {
                    refusing.add(queue.id());
                    full.computeIfAbsent(queue, added -> {
                        looks.add(queue);
                        return new Full();
                    });
                    return full(queue.name());
                }
            }
        }
        return null;
    }

    /** Keeps room for a message that is not refused; what is late, as a delayed one, takes none. */
    Admission admit(Destinations to, Message message) {
        if (!to.limited() || message.envelope().delayed()) {
            return Admission.FREE;
        }
        Admission admission = new Admission(refusing(to), bytes(message));
        admission.begin();
        return admission;
    }

    private static long bytes(Message message) {
        return TransientPublish.bytes(message);
    }

    private boolean hasRoom(MessageQueue queue, LengthLimit limit) {
        boolean fits = limit.messagesMax() == Long.MAX_VALUE
                || queue.ready(store) + queue.comingMessages < limit.messagesMax();
        // As long as there is any room: so large messages come in, too.
        return fits && (limit.bytesMax() == Long.MAX_VALUE || bytes(queue) + queue.comingBytes < limit.bytesMax());
    }

    private List<MessageQueue> refusing(Destinations to) {
        List<MessageQueue> found = new ArrayList<>(1);
        addRefusing(to.stored(), found);
        addRefusing(to.inMemory(), found);
        return found;
    }

    private void addRefusing(List<Route> lanes, List<MessageQueue> to) {
        for (Route lane : lanes) {
            MessageQueue queue = queues.byId(lane.queueId());
            LengthLimit limit = queue == null ? null : queue.options().lengthLimit();
            if (queue != null && limit != null && limit.overflow().refuses()) {
                to.add(queue);
            }
        }
    }

    static BrokerException full(String queue) {
        return new BrokerException(
                ErrorKind.RESOURCE_LIMIT,
                "MS-0391",
                new RefusingQueue(queue, RefusingQueue.MAXLEN),
                "queue '" + queue + "' is full (x-max-length or x-max-length-bytes with x-overflow reject-publish).",
                "consume from it, or raise its limit.");
    }

    /** The queue has another limit, or none any more. */
    void changed(MessageQueue queue) {
        Full state = full.get(queue);
        if (state != null) {
            refusing.remove(queue.id());
            ShardPeer.releaseAll(state.heldBack);
            if (queue.options().lengthLimit() == null) {
                full.remove(queue);
                looks.remove(queue);
            }
        }
        arrived(queue, null);
    }

    /** Drops what is too much, lets publishers go on where there is room again; true if there is more to do at once. */
    boolean run() {
        budget.renew();
        boolean more = false;
        for (int left = Math.min(LOOKS_PER_TURN, looks.size()); left > 0; left--) {
            if (budget.spent()) {
                return true;
            }
            budget.spend(1);
            MessageQueue queue = looks.iterator().next();
            looks.remove(queue);
            Full state = full.get(queue);
            LengthLimit limit = queue.options().lengthLimit();
            if (state == null || limit == null) {
                continue;
            }
            boolean above = !queue.deleted() && above(queue, limit, state, room(limit));
            if (above && limit.overflow() == Overflow.DROP_HEAD) {
                more |= drop(queue, limit, state);
            }
            if (above) {
                looks.add(queue);
            } else {
                full.remove(queue);
                refusing.remove(queue.id());
                ShardPeer.releaseAll(state.heldBack);
            }
        }
        return more;
    }

    /** Where nothing is dropped, a queue that takes no further message is full. */
    private static int room(LengthLimit limit) {
        return limit.overflow() == Overflow.DROP_HEAD ? 0 : 1;
    }

    /** @param more messages it shall have room for */
    private boolean above(MessageQueue queue, LengthLimit limit, @Nullable Full state, int more) {
        if (limit.messagesMax() != Long.MAX_VALUE && queue.ready(store) + more > limit.messagesMax()) {
            return true;
        }
        if (limit.bytesMax() == Long.MAX_VALUE) {
            return false;
        }
        LastValues values = queue.lastValues();
        long bytes = bytes(queue)
                - (state == null ? 0 : state.leaving.bytes(store))
                - (values == null ? 0 : values.leaving.bytes(store));
        return bytes > limit.bytesMax() || (more > 0 && bytes == limit.bytesMax());
    }

    /** Sessions that wait for a full queue, each once for each. */
    int heldBack() {
        return full.values().stream().mapToInt(state -> state.heldBack.size()).sum();
    }

    private long bytes(MessageQueue queue) {
        long bytes = queue.transients() == null ? 0 : queue.transients().bytes();
        for (int priority = 0; priority < Route.LANES_MAX; priority++) {
            Lane lane = store.lane(queue.laneId(priority));
            bytes += lane == null ? 0 : lane.bytes();
        }
        return bytes;
    }

    /** Drops from the lowest priority first, the oldest first; false if it has to wait for something. */
    private boolean drop(MessageQueue queue, LengthLimit limit, Full state) {
        for (int left = Math.min(DROPS_PER_TURN, Math.max(1, budget.left())); left > 0; left--) {
            budget.spend(1);
            if (!above(queue, limit, state, 0)
                    || queue.onHold()
                    || shard.deadLetters().holdsUp(queue)
                    || shard.lastValues().settling(queue)) {
                return false;
            }
            if (!dropOne(queue, state)) {
                return false;
            }
        }
        return true;
    }

    private boolean dropOne(MessageQueue queue, Full state) {
        for (int priority = 0; priority < Route.LANES_MAX; priority++) {
            Transients transients = queue.transients();
            TransientLane inMemory = transients == null ? null : transients.laneIfAny(priority);
            TransientMessage message = inMemory == null ? null : inMemory.nextFrom(0);
            if (inMemory != null && message != null) {
                inMemory.take(message);
                shard.deadLetters().send(new Held.InMemory(queue, message), REASON, Settlement.Kind.DROPPED);
                return true;
            }
            Lane lane = store.lane(queue.laneId(priority));
            long index = lane == null ? -1 : lane.cursor().next();
            if (lane != null && index >= 0) {
                Entry entry = lane.entry(index);
                if (entry == null) {
                    lane.fetch(index, () -> {});
                    return false;
                }
                lane.cursor().take(index);
                Held.Stored held = new Held.Stored(queue, priority, entry);
                state.leaving.add(held, store);
                shard.deadLetters().send(held, REASON, Settlement.Kind.DROPPED);
                return true;
            }
        }
        return false;
    }

    /** A queue above its limit. */
    private static final class Full {
        private final Collection<ShardPeer> heldBack = new LinkedHashSet<>(2);
        /** Dropped, and the record of it is under way. */
        private final Leaving leaving = new Leaving();
    }
}
