package io.mainstem.routing.queue;

import io.mainstem.routing.Outcome;
import io.mainstem.routing.message.Message;
import io.mainstem.store.Frame;
import io.mainstem.store.Frames;
import io.mainstem.store.MetaChange;
import io.mainstem.store.RecordGroup.Folding;
import io.mainstem.store.Settlement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * All outcomes of a transaction as records of the group that commits it: also dead letters and failed deliveries count
 * after a crash with the rest, or not at all. Dead letters are read back first, a few at a time; of those that go to
 * queues on disk no payload is kept meanwhile. Thread: shard.
 */
final class CommitOutcomes {
    private static final int READS_MAX = 16;
    /** Failed deliveries of one record. */
    private static final int FAILED_MAX = 8192;

    private final Shard shard;
    private final WorkTurns turns;
    private final @Nullable WorkQueue work;
    private final Deliveries deliveries;
    private final List<Ending> endings = new ArrayList<>();
    private final Settling settling = new Settling();
    private final Failing failing = new Failing();
    private final List<MetaChange> annotating = new ArrayList<>(0);
    /** Queues that get messages back. */
    private final Set<MessageQueue> backTo = new HashSet<>(0);

    private boolean onHold;
    private int nextTold;
    private int nextBuilt;
    private int nextMoved;
    private int nextApplied;
    private int nextRead;
    private int reading;
    private Runnable whenRead = () -> {};

    /** What is to be told beside what is {@link #add added} by others. */
    interface Deliveries {
        Deliveries NONE = new Deliveries() {
            @Override
            public int size() {
                return 0;
            }

            @Override
            public void add(int at, CommitOutcomes to) {
                throw new IndexOutOfBoundsException(at);
            }
        };

        int size();

        /** Adds one of them. */
        void add(int at, CommitOutcomes to);
    }

    /** Of nothing but what is added. */
    CommitOutcomes(Shard shard) {
        this(shard, null, Deliveries.NONE);
    }

    /** @param work what its session has asked for: that goes on behind it; null = nothing waits */
    CommitOutcomes(Shard shard, @Nullable WorkQueue work, Deliveries deliveries) {
        this.shard = shard;
        this.turns = shard.work();
        this.work = work;
        this.deliveries = deliveries;
    }

    /** One delivery of it. */
    private static final class Ending {
        private final @Nullable Consumer consumer;
        private final Held held;
        private final Outcome outcome;
        private final Effect effect;
        private DeadLetters.@Nullable Moving moving;
        private boolean unreadable;

        Ending(@Nullable Consumer consumer, Held held, Outcome outcome, Effect effect) {
            this.consumer = consumer;
            this.held = held;
            this.outcome = outcome;
            this.effect = effect;
        }
    }

    /** @param consumer null if it is not known any more */
    void add(@Nullable Consumer consumer, Held held, Outcome outcome) {
        Effect effect = shard.outcomes().effect(held, outcome);
        endings.add(new Ending(consumer, held, outcome, effect));
        if (effect instanceof Effect.Back || effect instanceof Effect.Failed || effect instanceof Effect.Unseen) {
            backTo.add(held.queue());
        }
    }

    /**
     * Does it as soon as {@link #frames} can tell everything, maybe at once: the group has to be submitted then and
     * there.
     */
    void whenComplete(Runnable then) {
        whenRead = then;
        begin(this::tell);
    }

    private void begin(LongWork some) {
        if (work == null) {
            turns.begin(some);
        } else {
            work.begin(some);
        }
    }

    private boolean tell(TurnBudget budget) {
        for (; nextTold < deliveries.size(); nextTold++) {
            if (budget.spent()) {
                return false;
            }
            budget.spend(1);
            deliveries.add(nextTold, this);
        }
        return build(budget);
    }

    /** Records of all that need not be read; then reads the rest. */
    private boolean build(TurnBudget budget) {
        for (; nextBuilt < endings.size(); nextBuilt++) {
            if (budget.spent()) {
                return false;
            }
            budget.spend(1);
            Ending ending = endings.get(nextBuilt);
            if (ending.held instanceof Held.Stored stored && !gone(ending)) {
                if (ending.effect instanceof Effect.Done done) {
                    settling.add(stored, done.kind());
                } else {
                    givenBack(ending, stored);
                }
            }
        }
        read();
        return true;
    }

    private void givenBack(Ending ending, Held.Stored held) {
        if (ending.effect instanceof Effect.Failed) {
            failing.add(held);
        }
        if (!(ending.effect instanceof Effect.Dead)) {
            MetaChange added = shard.annotated().record(held, ending.outcome);
            if (added != null) {
                annotating.add(added);
            }
        }
    }

    private void read() {
        while (nextRead < endings.size()) {
            Ending next = endings.get(nextRead);
            if (!(next.effect instanceof Effect.Dead dead) || gone(next)) {
                nextRead++;
            } else if (reading < READS_MAX) {
                nextRead++;
                read(next, dead);
            } else {
                return;
            }
        }
        if (reading == 0 && !waitsForPurge()) {
            Runnable then = whenRead;
            whenRead = () -> {};
            then.run();
        }
    }

    private void read(Ending ending, Effect.Dead dead) {
        Message found = shard.deadLetters().inMemory(ending.held);
        if (found != null) {
            read(ending, dead, found);
            return;
        }
        reading++;
        shard.deadLetters().read(ending.held, (message, problem) -> {
            reading--;
            if (message != null) {
                read(ending, dead, message);
            } else if (!gone(ending)) {
                ending.unreadable = true;
                shard.deadLetters().unreadable(ending.held, problem);
            }
            read();
        });
    }

    private void read(Ending ending, Effect.Dead dead, Message message) {
        if (!gone(ending)) {
            Message shown = shard.annotated().over(ending.held, message, ending.outcome);
            DeadLetters.Moving moving = shard.deadLetters().moving(ending.held, message, shown, dead);
            ending.moving = moving == null ? null : moving.slim();
        }
    }

    /** A purge gives log space up that a record of ours would point to. */
    private boolean waitsForPurge() {
        for (Ending ending : endings) {
            if (ending.moving != null && ending.held.queue().purgeUnderWay()) {
                ending.held.queue().whenPurged(this::read);
                return true;
            }
        }
        return false;
    }

    private boolean gone(Ending ending) {
        return shard.deadLetters().gone(ending.held);
    }

    /** The records, those of dead letters in front of what settles them; to be asked for once. */
    List<Frame> frames() {
        List<Frame> frames = new ArrayList<>();
        for (Ending ending : endings) {
            if (!(ending.effect instanceof Effect.Dead) || gone(ending)) {
                ending.moving = null;
                continue;
            }
            DeadLetters.Moving moving = ending.moving;
            Frame frame = moving == null ? null : moving.frame();
            if (frame != null) {
                frames.add(frame);
            }
            if (ending.held instanceof Held.Stored stored && !ending.unreadable) {
                settling.add(stored, Settlement.Kind.REJECT);
            }
        }
        frames.addAll(settling.frames());
        frames.addAll(failing.frames());
        frames.addAll(MetaFrames.of(annotating));
        return frames;
    }

    /**
     * The group is on disk, its records are folded up to those of {@link #frames}: these follow, and what is seen of them
     * in memory. Queues to which messages go back hand out nothing meanwhile.
     *
     * @return true once it is all
     */
    boolean applySome(TurnBudget budget, Folding records) {
        for (; nextMoved < endings.size(); nextMoved++) {
            DeadLetters.Moving moving = endings.get(nextMoved).moving;
            if (budget.spent()) {
                return false;
            }
            if (moving != null) {
                budget.spend(1);
                if (moving.frame() != null) {
                    records.next();
                }
                shard.deadLetters().moved(moving);
            }
        }
        return records.some() && endSome(budget);
    }

    private boolean endSome(TurnBudget budget) {
        for (; nextApplied < endings.size(); nextApplied++) {
            if (budget.spent()) {
                if (!onHold) {
                    onHold = true;
                    backTo.forEach(MessageQueue::hold);
                }
                return false;
            }
            budget.spend(1);
            applied(endings.get(nextApplied));
        }
        if (onHold) {
            onHold = false;
            backTo.forEach(shard.outcomes()::goOn);
        }
        endings.clear();
        return true;
    }

    private void applied(Ending ending) {
        Held held = ending.held;
        if (held.queue().deleted() || ending.unreadable) {
            return;
        }
        if (ending.effect instanceof Effect.Done || ending.effect instanceof Effect.Dead) {
            left(held);
        } else if (ending.effect instanceof Effect.Failed failed) {
            back(ending, true, failed.notBeforeMs());
        } else if (ending.effect instanceof Effect.Back back) {
            back(ending, false, back.notBeforeMs());
        } else if (ending.effect instanceof Effect.Unseen) {
            back(ending, false, 0);
        }
    }

    private void left(Held held) {
        if (held instanceof Held.InMemory) {
            shard.outcomes().done(held, Settlement.Kind.ACK);
        } else {
            shard.outcomes().left(held);
        }
    }

    private void back(Ending ending, boolean failed, long notBeforeMs) {
        if (ending.consumer != null
                && ending.outcome instanceof Outcome.Modified modified
                && modified.undeliverableHere()) {
            shard.outcomes().exclude(ending.consumer, ending.held);
        }
        shard.annotated().recorded(ending.held, ending.outcome);
        shard.outcomes().giveBackAt(ending.held, failed, notBeforeMs);
    }

    private static Map<Long, long[]> indexes(List<Held.Stored> failed) {
        Map<Long, List<Long>> byLane = new TreeMap<>();
        for (Held.Stored held : failed) {
            byLane.computeIfAbsent(held.laneId(), lane -> new ArrayList<>())
                    .add(held.entry().index());
        }
        Map<Long, long[]> sorted = new TreeMap<>();
        byLane.forEach((lane, indexes) -> sorted.put(
                lane, indexes.stream().mapToLong(Long::longValue).sorted().toArray()));
        return sorted;
    }

    /** Collects RELEASE records. */
    private static final class Failing {
        private final List<Frame> frames = new ArrayList<>(0);
        private List<Held.Stored> failed = new ArrayList<>(0);

        void add(Held.Stored held) {
            failed.add(held);
            if (failed.size() == FAILED_MAX) {
                end();
            }
        }

        private void end() {
            frames.add(Frames.release(indexes(failed)));
            failed = new ArrayList<>(0);
        }

        List<Frame> frames() {
            if (!failed.isEmpty()) {
                end();
            }
            return frames;
        }
    }

    /** Collects SETTLE records. */
    private static final class Settling {
        private final List<Frame> frames = new ArrayList<>(1);
        private final SettleRoom room = new SettleRoom();
        private List<Settlement> settled = new ArrayList<>();

        void add(Held.Stored held, Settlement.Kind kind) {
            if (!room.fits(held.entry())) {
                end();
            }
            room.add(held.entry());
            settled.add(new Settlement(held.laneId(), held.entry(), kind));
        }

        private void end() {
            frames.add(Frames.settle(settled));
            settled = new ArrayList<>();
            room.clear();
        }

        List<Frame> frames() {
            if (!settled.isEmpty()) {
                end();
            }
            return frames;
        }
    }
}
