package io.mainstem.routing.queue;

import io.mainstem.routing.ErrorKind;
import io.mainstem.store.Durability;
import io.mainstem.store.Entry;
import io.mainstem.store.Frame;
import io.mainstem.store.Frames;
import io.mainstem.store.Lane;
import io.mainstem.store.MetaChange;
import io.mainstem.store.RecordGroup.Folding;
import io.mainstem.store.ShardStore;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The end of a prepared branch, as one record group: references from the branch's messages to where they go, its
 * settlements, and the holding queue and the prepare record go. The payload is not copied. Thread: shard.
 */
final class BranchDecision {
    private static final int STEPS_AT_A_TIME = 1024;

    private final Shard shard;
    private final ShardStore store;
    private final PreparedBranches.Waiting waiting;
    private final PreparedBranch branch;
    private final boolean commit;
    private final @Nullable MetaChange kept;
    private final PreparedBranches.Decided decided;
    private final Reply<@Nullable Void> reply;
    private final List<Entry> messages = new ArrayList<>();
    private final List<Held.Stored> locked = new ArrayList<>();
    private final CommitOutcomes outcomes;
    private final BranchClaims ids;
    private int nextLock;
    private int nextMessage;
    private int nextInMemory;

    /** @param kept what is remembered of it, or null */
    record Kind(boolean commit, @Nullable MetaChange kept) {}

    BranchDecision(
            Shard shard,
            ShardStore store,
            PreparedBranches.Waiting waiting,
            Kind kind,
            PreparedBranches.Decided decided,
            Reply<@Nullable Void> reply) {
        this.shard = shard;
        this.store = store;
        this.waiting = waiting;
        this.branch = waiting.branch;
        this.commit = kind.commit;
        this.kept = kind.kept;
        this.decided = decided;
        this.reply = reply;
        this.ids = new BranchClaims(shard, waiting);
        this.outcomes = commit && waiting.work != null ? waiting.work.outcomes() : new CommitOutcomes(shard);
    }

    /** Brings what it needs into memory, then submits the group. */
    void start() {
        if (!findMessages() || (waiting.work == null && !findLocked())) {
            return;
        }
        if (commit) {
            ids.whenClaimed(() -> outcomes.whenComplete(this::submit));
        } else {
            submit();
        }
    }

    private void submit() {
        try {
            store.submit(new Group(frames()));
        } catch (IllegalArgumentException tooLarge) {
            ids.claims().failed();
            decided.decided(false);
            reply.refused(
                    ErrorKind.RESOURCE_LIMIT,
                    "MS-0361",
                    "branch " + branch.id() + " is prepared still, its commit does not fit the log: "
                            + tooLarge.getMessage() + ".",
                    "roll it back, then do it again in smaller ones.");
        }
    }

    /** False while a block is being read. */
    private boolean findMessages() {
        Lane lane = store.lane((long) branch.holdingQueue() << 8);
        while (commit && lane != null && messages.size() < branch.messages().size()) {
            Entry entry = entry(lane, messages.size());
            if (entry == null) {
                return false;
            }
            messages.add(entry);
        }
        return true;
    }

    private boolean findLocked() {
        for (; nextLock < branch.locks().size(); nextLock++) {
            PreparedBranch.Locked lock = branch.locks().get(nextLock);
            Lane lane = store.lane(lock.laneId());
            MessageQueue queue = shard.queues().byId((int) (lock.laneId() >>> 8));
            if (lane == null || queue == null || lane.cursor().settled(lock.index())) {
                continue; // purged or deleted meanwhile
            }
            Entry entry = entry(lane, lock.index());
            if (entry == null) {
                return false;
            }
            Held.Stored held = new Held.Stored(queue, (int) (lock.laneId() & 0xff), entry);
            locked.add(held);
            if (commit) {
                outcomes.add(null, held, lock.ending().outcome());
            }
        }
        return true;
    }

    private @Nullable Entry entry(Lane lane, long index) {
        Entry entry = lane.entry(index);
        if (entry == null) {
            lane.fetch(index, this::start);
        }
        return entry;
    }

    private List<Frame> frames() {
        List<Frame> frames = new ArrayList<>();
        if (commit) {
            for (int at = 0; at < messages.size(); at++) {
                PreparedBranch.Waiting message = branch.messages().get(at);
                if (ids.publishes(message)) {
                    frames.add(Frames.messageRef(message.routes(), messages.get(at), message.expiry(), new byte[0]));
                }
            }
            frames.addAll(outcomes.frames());
            frames.addAll(ids.claims().frames());
        }
        frames.add(Frames.purge(branch.holdingQueue(), true));
        MetaChange ended = new MetaChange(branch.key(), null);
        frames.add(Frames.meta(kept == null ? List.of(ended) : List.of(ended, kept)));
        return frames;
    }

    /** Its messages, those of them that are stored with their records, then what it settles; false if that is not all. */
    private boolean commitSome(TurnBudget budget, Folding records) {
        for (; nextMessage < branch.messages().size(); nextMessage++) {
            if (budget.spent()) {
                return false;
            }
            budget.spend(1);
            PreparedBranch.Waiting message = branch.messages().get(nextMessage);
            if (ids.publishes(message)) {
                records.next();
                shard.publishing().storedUnseen(message.routes(), message.expiry());
            }
        }
        List<TransactionSend> sends = waiting.inMemory.sends();
        for (; nextInMemory < sends.size(); nextInMemory++) {
            if (budget.spent()) {
                return false;
            }
            budget.spend(1);
            TransactionSend send = sends.get(nextInMemory);
            if (ids.publishes(waiting, send)) {
                shard.publishing().queueUnattended(send.message(), send.destinations());
            }
        }
        return outcomes.applySome(budget, records);
    }

    private void rolledBack() {
        if (waiting.work != null) {
            waiting.work.undo();
        } else {
            Set<MessageQueue> queues = new HashSet<>();
            locked.forEach(held -> queues.add(held.queue()));
            shard.work()
                    .begin(new GivingBack<>(
                            shard.outcomes(), queues, List.copyOf(locked), shard.outcomes()::failed, () -> {}));
        }
    }

    private final class Group extends LoggedChange {
        Group(List<Frame> frames) {
            super(frames, Durability.SYNC);
        }

        @Override
        public boolean applySome(Folding records) {
            TurnBudget budget = new TurnBudget(STEPS_AT_A_TIME);
            boolean committed = !commit
                    || (commitSome(budget, records)
                            && records.some()
                            && ids.claims().storedSome(budget));
            return committed && super.applySome(records);
        }

        @Override
        public void onApplied() {
            if (!commit) {
                rolledBack();
            }
            decided.decided(true);
            reply.done();
        }

        @Override
        void refused() {
            ids.claims().failed();
            decided.decided(false);
            reply.refused(
                    ErrorKind.RESOURCE_LIMIT,
                    "MS-0368",
                    "branch " + branch.id() + " is prepared still, the decision could not be logged: "
                            + store.stateReason() + ".",
                    "free disk space, then decide again.");
        }

        @Override
        void inDoubt() {
            ids.claims().failed();
            decided.decided(false);
            reply.refused(
                    ErrorKind.UNAVAILABLE,
                    "MS-0362",
                    "the decision about branch " + branch.id() + " could not be logged, its outcome is unknown: "
                            + store.stateReason() + ".",
                    "restart the broker, then recover.");
        }
    }
}
