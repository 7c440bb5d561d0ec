package io.mainstem.routing.queue;

import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.EnvelopeCodec;
import io.mainstem.routing.message.Message;
import io.mainstem.store.Durability;
import io.mainstem.store.Frame;
import io.mainstem.store.Frames;
import io.mainstem.store.RecordType;
import io.mainstem.store.Route;
import io.mainstem.store.Settlement;
import io.mainstem.store.ShardStore;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What becomes of messages a queue gives up: settled, and published to the queue's dead-letter exchange in the same
 * record group if it has one [T-3]. The payload is copied only where a consumer has added annotations. Thread: shard only.
 */
final class DeadLetters {
    private static final Logger LOG = LoggerFactory.getLogger(DeadLetters.class);
    private static final int READS_MAX = 64;
    /** That wait to be read; above it expiry and limits give nothing more up: each takes memory. */
    private static final int WAITING_MAX = 4096;

    private final Shard shard;
    private final ShardStore store;
    private final LogReads reads;
    private final ArrayDeque<Pending> waiting = new ArrayDeque<>();
    private final ArrayDeque<Pending> unread = new ArrayDeque<>();
    /** That the log had no room for, in their order: they are tried again. */
    private final ArrayDeque<Pending> refused = new ArrayDeque<>();

    /** Queues of these: what else they give up goes behind. */
    private final Set<MessageQueue> refusedQueues = new HashSet<>();

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
     * @param reason as in the death history: rejected, expired, delivery_limit, unmappable
     * @param kind how the settlement is recorded
     */
    void send(Held held, String reason, Settlement.Kind kind) {
        send(held, new Effect.Dead(reason, false), kind);
    }

    /** As above, as an outcome says. */
    void send(Held held, Effect.Dead why, Settlement.Kind kind) {
        shard.outcomes().left(held);
        if (held.queue().options().deadLetterExchange() == null) {
            shard.outcomes().done(held, kind);
            return;
        }
        enter(new Pending(held, why, kind));
        goOn();
    }

    /** How many were given up and wait to be read. */
    int waiting() {
        return waiting.size() + refused.size();
    }

    /** True while so many wait that no more should be given up if that can be put off. */
    boolean full() {
        return waiting() >= WAITING_MAX;
    }

    /** True while so many wait for room in the log that nothing more shall be delivered, which might be given up, too. */
    boolean holdsUp() {
        return refused.size() >= WAITING_MAX;
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
        if (!queuesWaiting.isEmpty() && waiting() <= WAITING_MAX / 2) {
            queuesWaiting.forEach(shard.dispatcher()::markDirty);
            queuesWaiting.clear();
        }
    }

    /** The message if it need not be read back, else null. */
    @Nullable
    Message inMemory(Held held) {
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
            } else if (refusedQueues.contains(first.held.queue())) {
                refused(first);
            } else if (!gone(first.held)) {
                move(first, message);
            }
        }
        letQueuesGoOn();
    }

    /** The log has no room for it: that passes, and it was given up for good. */
    private void refused(Pending pending) {
        if (refused.isEmpty()) {
            shard.retryLater(this::again);
        }
        pending.message = null;
        refused.add(pending);
        refusedQueues.add(pending.held.queue());
    }

    private void again() {
        ArrayDeque<Pending> behind = new ArrayDeque<>(waiting);
        ArrayDeque<Pending> unreadBehind = new ArrayDeque<>(unread);
        waiting.clear();
        unread.clear();
        refusedQueues.clear();
        refused.forEach(this::enter);
        refused.clear();
        waiting.addAll(behind);
        unread.addAll(unreadBehind);
        goOn();
    }

    private void enter(Pending pending) {
        pending.message = inMemory(pending.held);
        waiting.add(pending);
        if (pending.message == null) {
            unread.add(pending);
        }
    }

    /** Brings a message back that is not in memory. */
    void read(Held held, BiConsumer<@Nullable Message, @Nullable Throwable> to) {
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

    void unreadable(Held gone, @Nullable Throwable problem) {
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

    private void move(Pending pending, Message message) {
        Held held = pending.held;
        Settlement.Kind kind = pending.kind;
        Moving moving = moving(held, message, shard.annotated().over(held, message), pending.why);
        if (moving == null) {
            shard.outcomes().done(held, kind);
            return;
        }
        List<Frame> frames = new ArrayList<>(2);
        Frame frame = moving.frame();
        if (frame != null) {
            frames.add(frame);
        }
        if (held instanceof Held.Stored stored) {
            frames.add(Frames.settle(List.of(new Settlement(stored.laneId(), stored.entry(), kind))));
        }
        if (frames.isEmpty()) {
            shard.outcomes().done(held, kind);
            moved(moving);
        } else {
            store.submit(new Group(frames, pending, moving));
        }
    }

    /**
     * A dead letter and where it goes.
     *
     * @param dead null if it is in the log only
     * @param frame that puts it there, for a group that settles it at its old place too; null if it goes to memory, or
     *     nowhere
     */
    record Moving(
            @Nullable Message dead,
            Destinations to,
            @Nullable Frame frame) {
        /** Without the payload if that is in the log already and goes nowhere else. */
        Moving slim() {
            boolean reference = frame != null && frame.type() == RecordType.MSG_REF;
            return reference && !to.anyInMemory() ? new Moving(null, to, frame) : this;
        }
    }

    /**
     * Where a message goes that its queue gives up, by the topology of this moment; null if the queue drops it.
     *
     * @param message as it is in the log
     * @param shown the same with what consumers have added to it, maybe nothing
     */
    @Nullable
    Moving moving(Held held, Message message, Message shown, Effect.Dead why) {
        MessageQueue queue = held.queue();
        String exchange = queue.options().deadLetterExchange();
        if (exchange == null) {
            return null;
        }
        Envelope old = shown.envelope();
        String key = queue.options().deadLetterKey();
        int failed = shard.outcomes().failedCount(held) + (why.counts() ? 1 : 0);
        Envelope next = old.deadLettered(
                exchange,
                key == null ? old.routingKey() : key,
                DeathHistory.with(old, queue.name(), why.reason(), failed, shard.nowMs()));
        Message dead = new Message(next, shown.sections());
        boolean changed = !shown.sections().equals(message.sections());
        Destinations to = withoutCycles(shard.queues().destinationsFromBroker(queue, dead), next);
        try {
            return new Moving(dead, to, to.stored().isEmpty() ? null : frame(held, dead, to, changed));
        } catch (IllegalArgumentException tooLarge) {
            LOG.warn(
                    "MS-0344 dead letter dropped queue={} reason=\"{}\" fix: let fewer queues listen to its dead-letter"
                            + " exchange, or use shorter keys",
                    queue.name(),
                    tooLarge.getMessage());
            return new Moving(dead, Destinations.NOWHERE, null);
        }
    }

    /** The group with its frame is on disk, if it has one. */
    void moved(Moving moving) {
        Frame frame = moving.frame();
        Message dead = moving.dead();
        if (dead == null) {
            shard.publishing().storedUnseen(moving.to().stored(), moving.to().expiry());
            return;
        }
        if (frame != null) {
            shard.publishing().stored(frame.lsn(), dead, moving.to().stored());
        }
        shard.publishing().queueUnattended(dead, moving.to());
    }

    /** Its log space may have been given up by now: no record may point there any more. */
    boolean gone(Held held) {
        return held.queue().deleted() || (held instanceof Held.Stored stored && stored.settled(store));
    }

    private static Frame frame(Held held, Message dead, Destinations to, boolean changed) {
        byte[] envelope = EnvelopeCodec.encode(dead.envelope());
        return held instanceof Held.Stored stored && !changed
                ? Frames.messageRef(to.stored(), stored.entry(), to.expiry(), envelope)
                : Frames.message(to.stored(), to.expiry(), 0, envelope, dead.sections());
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
        if (!DeathHistory.cycles(queue.name(), envelope.deaths())) {
            return true;
        }
        LOG.warn(
                "MS-0343 dead letter dropped: it has been in queue={} before and nobody rejected it since "
                        + "fix: let the dead-letter exchanges of these queues not lead back",
                queue.name());
        return false;
    }

    /** A message that was given up and whose turn to move has not come. */
    private static final class Pending {
        private final Held held;
        private final Effect.Dead why;
        private final Settlement.Kind kind;
        private @Nullable Message message;
        private @Nullable Throwable problem;

        Pending(Held held, Effect.Dead why, Settlement.Kind kind) {
            this.held = held;
            this.why = why;
            this.kind = kind;
        }

        boolean read() {
            return message != null || problem != null;
        }
    }

    /** The move, all or nothing. */
    private final class Group extends LoggedChange {
        private final Pending pending;
        private final Moving moving;

        Group(List<Frame> frames, Pending pending, Moving moving) {
            // Not WRITE: a power cut would put back where it was, and without its mark, what was seen meanwhile.
            super(frames, Durability.SYNC);
            this.pending = pending;
            this.moving = moving;
        }

        @Override
        public void onApplied() {
            moved(moving);
            if (pending.held instanceof Held.InMemory) {
                shard.outcomes().done(pending.held, Settlement.Kind.MOVED);
            }
        }

        @Override
        void refused() {
            DeadLetters.this.refused(pending);
        }

        @Override
        void inDoubt() {
            // Nobody waits for it.
        }
    }
}
