package io.mainstem.routing.queue;

import io.mainstem.routing.message.Death;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.EnvelopeCodec;
import io.mainstem.routing.message.Message;
import io.mainstem.store.Durability;
import io.mainstem.store.Frame;
import io.mainstem.store.Frames;
import io.mainstem.store.RecordGroup;
import io.mainstem.store.Route;
import io.mainstem.store.Settlement;
import io.mainstem.store.ShardStore;
import io.mainstem.store.StoreState;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What becomes of messages a queue gives up: settled, and published to the queue's dead-letter exchange in the same
 * record group if it has one [T-3]. The payload is not copied. Thread: shard only.
 */
final class DeadLetters {
    private static final Logger LOG = LoggerFactory.getLogger(DeadLetters.class);
    private static final int READS_MAX = 64;
    /** That wait to be read; above it expiry and limits give nothing more up: each takes memory. */
    private static final int WAITING_MAX = 4096;

    private static final int DEATHS_MAX = 128;
    private static final int DEATH_KEY_CHARS_MAX = 1024;

    private final Shard shard;
    private final ShardStore store;
    private final LogReads reads;
    private final ArrayDeque<Pending> waiting = new ArrayDeque<>();
    private final ArrayDeque<Pending> unread = new ArrayDeque<>();
    /** Queues that have more to give up, in the order they were told to wait. */
    private final Set<MessageQueue> queuesWaiting = new LinkedHashSet<>();

    private int reading;

    DeadLetters(Shard shard, ShardStore store, LogReads reads) {
        this.shard = shard;
        this.store = store;
        this.reads = reads;
    }

    /**
     * Gives a taken message up.
     *
     * @param reason as in the death history: rejected, expired, delivery_limit
     * @param kind how the settlement is recorded
     */
    void send(Held held, String reason, Settlement.Kind kind) {
        shard.outcomes().left(held);
        if (held.queue().options().deadLetterExchange() == null) {
            shard.outcomes().done(held, kind);
            return;
        }
        Pending pending = new Pending(held, reason, kind);
        pending.message = inMemory(held);
        waiting.add(pending);
        if (pending.message == null) {
            unread.add(pending);
        }
        goOn();
    }

    /** How many were given up and wait to be read. */
    int waiting() {
        return waiting.size();
    }

    /** True while so many wait that no more should be given up if that can be put off. */
    boolean full() {
        return waiting.size() >= WAITING_MAX;
    }

    /** As {@link #full()}, for one queue's messages; if so, the queue is marked dirty when there is room again. */
    boolean holdsUp(MessageQueue queue) {
        if (!full() || queue.options().deadLetterExchange() == null) {
            return false;
        }
        queuesWaiting.add(queue);
        return true;
    }

    private void letQueuesGoOn() {
        if (!queuesWaiting.isEmpty() && waiting.size() <= WAITING_MAX / 2) {
            queuesWaiting.forEach(shard.dispatcher()::markDirty);
            queuesWaiting.clear();
        }
    }

    private @Nullable Message inMemory(Held held) {
        return held instanceof Held.Stored stored
                ? reads.inMemory(stored.queue(), stored.priority(), stored.entry())
                : ((Held.InMemory) held).message().message();
    }

    /** Moves what can be moved, in the order it was given up, and reads ahead a little. */
    private void goOn() {
        while (reading < READS_MAX && !unread.isEmpty()) {
            Pending next = unread.remove();
            reading++;
            read(next.held, (message, problem) -> {
                reading--;
                next.message = message;
                next.problem = problem;
                goOn();
            });
        }
        for (Pending first = waiting.peek(); first != null && first.read(); first = waiting.peek()) {
            waiting.remove();
            Message message = first.message;
            if (message == null) {
                unreadable(first.held, first.problem);
            } else if (first.held.queue().purgeUnderWay()) {
                Pending postponed = first;
                first.held.queue().whenPurged(() -> {
                    waiting.add(postponed);
                    goOn();
                });
            } else if (!gone(first.held)) {
                move(first.held, message, first.reason, first.kind);
            }
        }
        letQueuesGoOn();
    }

    private void read(Held held, BiConsumer<@Nullable Message, @Nullable Throwable> to) {
        if (held instanceof Held.Stored stored) {
            reads.read(stored.entry(), to);
            return;
        }
        TransientMessage message = ((Held.InMemory) held).message();
        shard.transients().fetch(message, () -> {
            Message found = message.message();
            to.accept(found, found == null ? new IllegalStateException("lost with its spool block") : null);
        });
    }

    /** Its log space may have been given up by now: no record may point there any more. */
    private boolean gone(Held held) {
        return held.queue().deleted() || (held instanceof Held.Stored stored && stored.settled(store));
    }

    private void unreadable(Held gone, @Nullable Throwable problem) {
        if (!(gone instanceof Held.Stored held)) {
            shard.outcomes().done(gone, Settlement.Kind.DROPPED);
            return;
        }
        LOG.error(
                "MS-0341 message unreadable queue={} lane={} index={} lsn={} cause={} "
                        + "fix: stop the broker and run `mainstem store verify`",
                held.queue().name(),
                held.priority(),
                held.entry().index(),
                held.entry().lsn(),
                String.valueOf(problem));
    }

    private void move(Held held, Message message, String reason, Settlement.Kind kind) {
        MessageQueue queue = held.queue();
        String exchange = queue.options().deadLetterExchange();
        if (exchange == null) {
            shard.outcomes().done(held, kind);
            return;
        }
        Envelope old = message.envelope();
        String key = queue.options().deadLetterKey();
        Envelope next = old.deadLettered(
                exchange, key == null ? old.routingKey() : key, history(old, queue.name(), reason, shard.nowMs()));
        Message dead = new Message(next, message.sections());
        Destinations to = withoutCycles(shard.queues().destinationsFromBroker(queue, dead), next);
        List<Frame> frames = new ArrayList<>(2);
        if (!to.stored().isEmpty()) {
            frames.add(frame(held, dead, to));
        }
        if (held instanceof Held.Stored stored) {
            frames.add(Frames.settle(List.of(new Settlement(stored.laneId(), stored.entry(), kind))));
        }
        if (frames.isEmpty()) {
            shard.outcomes().done(held, kind);
            shard.publishing().queueUnattended(dead, to);
        } else {
            store.submit(new Group(frames, held, dead, to));
        }
    }

    private static Frame frame(Held held, Message dead, Destinations to) {
        byte[] envelope = EnvelopeCodec.encode(dead.envelope());
        return held instanceof Held.Stored stored
                ? Frames.messageRef(to.stored(), stored.entry(), to.expiry(), envelope)
                : Frames.message(to.stored(), to.expiry(), 0, envelope, dead.sections());
    }

    /** Newest first; deaths in the same queue for the same reason are one line with a count. */
    static List<Death> history(Envelope envelope, String queue, String reason, long nowMs) {
        List<Death> history = new ArrayList<>(envelope.deaths().size() + 1);
        List<String> keys = keys(envelope);
        Death latest = new Death(queue, reason, 1, nowMs, nowMs, envelope.exchange(), keys, envelope.ttlMs());
        for (Death death : envelope.deaths()) {
            if (death.queue().equals(queue) && death.reason().equals(reason)) {
                latest = new Death(
                        queue,
                        reason,
                        death.count() + 1,
                        death.firstMs(),
                        nowMs,
                        envelope.exchange(),
                        keys,
                        envelope.ttlMs());
            } else if (history.size() < DEATHS_MAX - 1) {
                history.add(death);
            }
        }
        history.add(0, latest);
        return history;
    }

    /** What of the keys is kept in the history: it has to fit the envelope whatever a client sends. */
    private static List<String> keys(Envelope envelope) {
        List<String> keys = new ArrayList<>(1);
        int chars = 0;
        for (String key : envelope.keys()) {
            chars += key.length();
            if (chars <= DEATH_KEY_CHARS_MAX) {
                keys.add(key);
            }
        }
        return keys;
    }

    /** A queue the message has been through since a consumer last rejected it is left out: it would go round for ever. */
    private Destinations withoutCycles(Destinations to, Envelope envelope) {
        return to.keep(lane -> mayEnter(lane, envelope));
    }

    private boolean mayEnter(Route lane, Envelope envelope) {
        MessageQueue queue = shard.queues().byId(lane.queueId());
        if (queue == null) {
            return false;
        }
        if (!cycles(queue.name(), envelope.deaths())) {
            return true;
        }
        LOG.warn(
                "MS-0343 dead letter dropped: it has been in queue={} before and nobody rejected it since "
                        + "fix: let the dead-letter exchanges of these queues not lead back",
                queue.name());
        return false;
    }

    private static boolean cycles(String queue, List<Death> deaths) {
        for (Death death : deaths) {
            if (death.reason().equals("rejected")) {
                return false;
            }
            if (death.queue().equals(queue)) {
                return true;
            }
        }
        return false;
    }

    /** A message that was given up and whose turn to move has not come. */
    private static final class Pending {
        private final Held held;
        private final String reason;
        private final Settlement.Kind kind;
        private @Nullable Message message;
        private @Nullable Throwable problem;

        Pending(Held held, String reason, Settlement.Kind kind) {
            this.held = held;
            this.reason = reason;
            this.kind = kind;
        }

        boolean read() {
            return message != null || problem != null;
        }
    }

    /** The move, all or nothing. */
    private final class Group extends RecordGroup {
        private final Held held;
        private final Message dead;
        private final Destinations to;

        Group(List<Frame> frames, Held held, Message dead, Destinations to) {
            super(frames, Durability.WRITE);
            this.held = held;
            this.dead = dead;
            this.to = to;
        }

        @Override
        public void onApplied() {
            if (!to.stored().isEmpty()) {
                shard.publishing().stored(frames().get(0).lsn(), dead, to.stored());
            }
            shard.publishing().queueUnattended(dead, to);
            if (held instanceof Held.InMemory) {
                shard.outcomes().done(held, Settlement.Kind.MOVED);
            }
        }

        @Override
        public void onFailed(StoreState why) {
            if (why == StoreState.DISK_CRITICAL) {
                // Only a message that was in memory so far needs room for its payload: it stays where it was.
                shard.outcomes().giveBack(held, false);
            } else {
                shard.storeFailed();
            }
        }
    }
}
