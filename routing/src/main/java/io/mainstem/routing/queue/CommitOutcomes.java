package io.mainstem.routing.queue;

import io.mainstem.routing.Outcome;
import io.mainstem.routing.message.Message;
import io.mainstem.store.Frame;
import io.mainstem.store.Frames;
import io.mainstem.store.Settlement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
    private final List<Ending> endings = new ArrayList<>();
    private int nextRead;
    private int reading;
    private Runnable whenRead = () -> {};

    CommitOutcomes(Shard shard) {
        this.shard = shard;
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
        endings.add(new Ending(consumer, held, outcome, shard.outcomes().effect(held, outcome)));
    }

    /**
     * Does it as soon as {@link #frames} can tell everything, maybe at once: the group has to be submitted then and
     * there.
     */
    void whenComplete(Runnable then) {
        whenRead = then;
        read();
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
            DeadLetters.Moving moving = shard.deadLetters().moving(ending.held, message, dead.reason());
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

    /** The records, those of dead letters in front of what settles them. */
    List<Frame> frames() {
        List<Frame> frames = new ArrayList<>();
        List<Held.Stored> failed = new ArrayList<>(0);
        Settling settling = new Settling();
        for (Ending ending : endings) {
            if (gone(ending)) {
                continue;
            }
            Held held = ending.held;
            DeadLetters.Moving moving = ending.moving;
            Frame frame = moving == null ? null : moving.frame();
            if (frame != null) {
                frames.add(frame);
            }
            if (held instanceof Held.Stored stored) {
                if (ending.effect instanceof Effect.Done done) {
                    settling.add(stored, done.kind());
                } else if (ending.effect instanceof Effect.Dead && !ending.unreadable) {
                    settling.add(stored, Settlement.Kind.REJECT);
                } else if (ending.effect instanceof Effect.Failed) {
                    failed.add(stored);
                }
            }
        }
        frames.addAll(settling.frames());
        for (int from = 0; from < failed.size(); from += FAILED_MAX) {
            frames.add(Frames.release(indexes(failed.subList(from, Math.min(failed.size(), from + FAILED_MAX)))));
        }
        return frames;
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

    /** The group is on disk: what is seen of it in memory follows. */
    void applied() {
        for (Ending ending : endings) {
            Held held = ending.held;
            DeadLetters.Moving moving = ending.moving;
            if (moving != null) {
                shard.deadLetters().moved(moving);
            }
            if (held.queue().deleted() || ending.unreadable) {
                continue;
            }
            if (ending.effect instanceof Effect.Done || ending.effect instanceof Effect.Dead) {
                left(held);
            } else if (ending.effect instanceof Effect.Failed failed) {
                back(ending, true, failed.notBeforeMs());
            } else if (ending.effect instanceof Effect.Back back) {
                back(ending, false, back.notBeforeMs());
            }
        }
        endings.clear();
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
        shard.outcomes().giveBackAt(ending.held, failed, notBeforeMs);
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
