package io.mainstem.routing.queue;

import io.mainstem.routing.BranchId;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.dedup.PublishKey;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.PublishId;
import io.mainstem.store.Durability;
import io.mainstem.store.ExpiryTimes;
import io.mainstem.store.Frame;
import io.mainstem.store.Frames;
import io.mainstem.store.Lane;
import io.mainstem.store.MetaChange;
import io.mainstem.store.Route;
import io.mainstem.store.ScheduleLane;
import io.mainstem.store.ShardStore;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Branches that are prepared and wait for their coordinator's decision (ADR 0013). Thread: shard, except where a method
 * says otherwise.
 */
final class PreparedBranches {
    private static final Logger LOG = LoggerFactory.getLogger(PreparedBranches.class);
    /** In one virtual host: a coordinator that never decides must not fill memory and log. */
    private static final int PREPARED_MAX = 10_000;
    /** Beside the listing of its messages, so that the commit fits one record group. */
    private static final long SETTLEMENTS_BYTES_MAX = 1 << 20;

    private final Shard shard;
    private final ShardStore store;
    private final QueueCatalog queues;
    private final HeuristicOutcomes heuristics;
    private final Set<Name> names = ConcurrentHashMap.newKeySet();
    private final TreeMap<Name, Waiting> prepared = new TreeMap<>();
    /** By virtual host: prepared, or on their way to be. */
    private final Map<String, Integer> counts = new HashMap<>();

    /** A branch's name in the whole shard. */
    private record Name(String virtualHost, BranchId id) implements Comparable<Name> {
        @Override
        public int compareTo(Name other) {
            int hosts = virtualHost.compareTo(other.virtualHost);
            return hosts != 0 ? hosts : id.compareTo(other.id);
        }
    }

    /** A branch, and what of it lives in memory: nothing after a restart. */
    static final class Waiting {
        final PreparedBranch branch;
        final @Nullable TransactionWork work;
        /** Their room is given back with the decision: until then they are in memory. */
        final TransactionSends inMemory;

        boolean deciding;

        Waiting(PreparedBranch branch, @Nullable TransactionWork work, TransactionSends inMemory) {
            this.branch = branch;
            this.work = work;
            this.inMemory = inMemory;
        }
    }

    /** Told when a decision is on disk, or was not taken. */
    @FunctionalInterface
    interface Decided {
        /** @param gone false = the branch waits still */
        void decided(boolean gone);
    }

    PreparedBranches(Shard shard, ShardStore store, QueueCatalog queues) {
        this.shard = shard;
        this.store = store;
        this.queues = queues;
        this.heuristics = new HeuristicOutcomes(store);
    }

    /** Finds what was prepared before the restart, and locks what it holds. Thread: any, before the shard starts. */
    void recover() {
        heuristics.recover(decided -> {
            names.add(new Name(decided.virtualHost(), decided.id()));
            counts.merge(decided.virtualHost(), 1, Integer::sum);
        });
        for (byte[] value : store.meta().subMap(PreparedBranch.KEY, "prepared0").values()) {
            PreparedBranch branch = PreparedBranch.decode(value);
            Name name = new Name(branch.virtualHost(), branch.id());
            names.add(name);
            counts.merge(name.virtualHost, 1, Integer::sum);
            prepared.put(
                    name, new Waiting(branch, null, new TransactionSends(List.of(), 0, shard.transactionBudget())));
            for (PreparedBranch.Locked lock : branch.locks()) {
                Lane lane = store.lane(lock.laneId());
                if (lane != null && !lane.cursor().settled(lock.index())) {
                    lane.cursor().take(lock.index());
                }
            }
        }
        if (!prepared.isEmpty()) {
            LOG.warn(
                    "MS-0366 prepared transactions wait for their coordinator count={} "
                            + "fix: let it recover them, or decide them by a client of the coordinator node",
                    prepared.size());
        }
    }

    /**
     * Takes a name for a new branch. Thread: any.
     *
     * @throws BrokerException if it is in use
     */
    void claim(String virtualHost, BranchId id) {
        if (!names.add(new Name(virtualHost, id))) {
            throw new BrokerException(
                    ErrorKind.ALREADY_EXISTS,
                    "MS-0364",
                    "transaction branch " + id + " exists already in virtual host '" + virtualHost + "'.",
                    "use another id, or end that one.");
        }
    }

    /** Gives a name back. Thread: any. */
    void release(String virtualHost, BranchId id) {
        names.remove(new Name(virtualHost, id));
    }

    /** Those that this user may decide about, and those decided without their coordinator, ascending. */
    List<BranchId> prepared(BranchUser by) {
        List<BranchId> found = new ArrayList<>(heuristics.of(by));
        prepared.forEach((name, waiting) -> {
            if (name.virtualHost.equals(by.virtualHost()) && by.mayDecide(waiting.branch)) {
                found.add(name.id);
            }
        });
        Collections.sort(found);
        return found;
    }

    /** Publish ids are looked at, so that what is refused is refused now; the commit claims them. */
    void prepare(
            BranchUser by, BranchId id, TransactionWork work, TransactionSends content, Reply<@Nullable Void> reply) {
        PublishClaims.claim(
                shard, work.peer(), content.sends(), claimed -> prepare(by, id, work, content, claimed, reply));
    }

    private void prepare(
            BranchUser by,
            BranchId id,
            TransactionWork work,
            TransactionSends content,
            PublishClaims.Outcome claimed,
            Reply<@Nullable Void> reply) {
        if (claimed instanceof PublishClaims.Outcome.Wait wait) {
            wait.until().whenEnded(() -> prepare(by, id, work, content, reply));
        } else if (claimed instanceof PublishClaims.Outcome.Refused refused) {
            release(by.virtualHost(), id);
            work.refuse(refused.why(), content, reply);
        } else if (claimed instanceof PublishClaims.Outcome.Claimed each) {
            each.claims().failed();
            prepareOnce(by, id, work, content.keepOnly(each.left()), reply);
        }
    }

    private void prepareOnce(
            BranchUser by, BranchId id, TransactionWork work, TransactionSends content, Reply<@Nullable Void> reply) {
        String virtualHost = by.virtualHost();
        if (!work.endForGood(content, reply)) {
            release(virtualHost, id);
            return;
        }
        // The messages wait for their coordinator outside of their queues, and always come in with the commit.
        work.endAdmissions();
        work.prepared();
        CommitOutcomes outcomes = work.outcomes();
        outcomes.whenComplete(() -> prepare(by, id, new Prepared(work, outcomes, content), reply));
    }

    /** What a branch consists of. */
    private record Prepared(TransactionWork work, CommitOutcomes outcomes, TransactionSends content) {}

    private void prepare(BranchUser by, BranchId id, Prepared parts, Reply<@Nullable Void> reply) {
        String virtualHost = by.virtualHost();
        TransactionWork work = parts.work;
        TransactionSends content = parts.content;
        if (counts.getOrDefault(virtualHost, 0) >= PREPARED_MAX) {
            content.release();
            work.undo();
            release(virtualHost, id);
            reply.refused(
                    ErrorKind.ROLLED_BACK,
                    "MS-0371",
                    "the transaction was rolled back: virtual host '" + virtualHost + "' has " + PREPARED_MAX
                            + " prepared branches already.",
                    "let their coordinator recover and decide them.");
            return;
        }
        int holding = queues.hosts().nextQueueId();
        List<Frame> frames = new ArrayList<>();
        MetaChange reservation = queues.hosts().reservation();
        if (reservation != null) {
            frames.add(Frames.meta(List.of(reservation)));
        }
        List<PreparedBranch.Waiting> messages = new ArrayList<>();
        List<TransactionSend> inMemory = new ArrayList<>();
        for (TransactionSend send : content.sends()) {
            if (PublishFrame.needed(send.message(), send.destinations())) {
                frames.add(PublishFrame.held(send.message(), send.destinations(), new Route(holding, 0)));
                messages.add(waiting(send, work.peer()));
            }
            if (send.destinations().anyInMemory() && !send.message().envelope().delayed()) {
                inMemory.add(send);
            }
        }
        PreparedBranch branch = new PreparedBranch(virtualHost, id, by.name(), holding, messages, work.locks());
        try {
            checkCommitFits(parts.outcomes);
            frames.add(Frames.meta(List.of(new MetaChange(branch.key(), branch.encode()))));
            Waiting waiting = new Waiting(branch, work, content.only(inMemory));
            store.submit(new Prepare(frames, reservation, waiting, content, reply));
            counts.merge(virtualHost, 1, Integer::sum);
        } catch (IllegalArgumentException tooLarge) {
            release(virtualHost, id);
            work.refuseTooLarge(tooLarge, content, reply);
        }
    }

    /** What is prepared must be able to commit. */
    private static void checkCommitFits(CommitOutcomes outcomes) {
        long bytes = 0;
        for (Frame frame : outcomes.frames()) {
            bytes += frame.bodyBytes();
        }
        if (bytes > SETTLEMENTS_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "settlements: " + bytes + " bytes (expected: <= " + SETTLEMENTS_BYTES_MAX + ")");
        }
    }

    private static PreparedBranch.Waiting waiting(TransactionSend send, ShardPeer publisher) {
        Message message = send.message();
        PublishId id = message.publishId();
        PublishKey key = id == null ? null : OncePublish.key(publisher, id, message);
        if (!message.envelope().delayed()) {
            return new PreparedBranch.Waiting(
                    send.destinations().stored(), send.destinations().expiry(), key);
        }
        long deliverAtMs = PublishFrame.deliverAtMs(message);
        return new PreparedBranch.Waiting(List.of(ScheduleLane.of(deliverAtMs)), ExpiryTimes.of(deliverAtMs), key);
    }

    /** How a branch is to end. */
    enum Decision {
        COMMIT(true, false),
        ROLLBACK(false, false),
        /** Without its coordinator, who is told so until it forgets the branch. */
        HEURISTIC_COMMIT(true, true),
        HEURISTIC_ROLLBACK(false, true);

        private final boolean commits;
        private final boolean heuristic;

        Decision(boolean commits, boolean heuristic) {
            this.commits = commits;
            this.heuristic = heuristic;
        }
    }

    /** Forgets a branch that was decided without its coordinator. */
    void forget(BranchUser by, BranchId id, Reply<@Nullable Void> reply) {
        HeuristicOutcomes.Decided decided = heuristics.find(by.virtualHost(), id);
        if (decided != null) {
            Name name = new Name(by.virtualHost(), id);
            heuristics.forget(by, decided, () -> gone(name), reply);
        } else if (prepared.containsKey(new Name(by.virtualHost(), id))) {
            reply.refused(
                    ErrorKind.PRECONDITION_FAILED,
                    "MS-0375",
                    "transaction branch " + id + " is prepared and was not decided.",
                    "commit it or roll it back.");
        } else {
            reply.refused(unknown(by, id));
        }
    }

    private static BrokerException unknown(BranchUser by, BranchId id) {
        return new BrokerException(
                ErrorKind.NOT_FOUND,
                "MS-0365",
                "no transaction branch " + id + " is prepared in virtual host '" + by.virtualHost() + "'.",
                "recover lists those that are; what is not there was decided, or never prepared.");
    }

    void decide(BranchUser by, BranchId id, Decision decision, Reply<@Nullable Void> reply) {
        HeuristicOutcomes.Decided earlier = heuristics.find(by.virtualHost(), id);
        if (earlier != null) {
            reply.refused(HeuristicOutcomes.tooLate(earlier));
            return;
        }
        Waiting waiting = prepared.get(new Name(by.virtualHost(), id));
        if (waiting == null) {
            reply.refused(unknown(by, id));
        } else if (!by.mayDecide(waiting.branch)) {
            reply.refused(
                    ErrorKind.ACCESS_REFUSED,
                    "MS-0370",
                    "user '" + by.name() + "' may not decide transaction branch " + id + " in virtual host '"
                            + by.virtualHost() + "': another user has prepared it.",
                    "let that user decide it, or an administrator.");
        } else if (waiting.deciding) {
            reply.refused(
                    ErrorKind.LOCKED,
                    "MS-0367",
                    "transaction branch " + id + " is being decided already.",
                    "wait for that decision.");
        } else {
            waiting.deciding = true;
            HeuristicOutcomes.Decided heuristic = decision.heuristic
                    ? HeuristicOutcomes.Decided.of(waiting.branch, decision.commits, by.name())
                    : null;
            BranchDecision.Kind kind =
                    new BranchDecision.Kind(decision.commits, heuristic == null ? null : heuristic.record());
            new BranchDecision(shard, store, waiting, kind, gone -> decided(waiting, gone, heuristic), reply).start();
        }
    }

    /**
     * @param gone false = the decision was not taken, the branch waits still
     * @param heuristic what is remembered of it then, or null
     */
    private void decided(Waiting waiting, boolean gone, HeuristicOutcomes.@Nullable Decided heuristic) {
        waiting.deciding = false;
        if (gone) {
            Name name = new Name(waiting.branch.virtualHost(), waiting.branch.id());
            prepared.remove(name);
            waiting.inMemory.release();
            if (heuristic == null) {
                gone(name);
            } else {
                heuristics.add(heuristic);
            }
        }
    }

    private void gone(Name name) {
        names.remove(name);
        counts.merge(name.virtualHost, -1, Integer::sum);
    }

    private final class Prepare extends LoggedChange {
        private final @Nullable MetaChange reservation;
        private final Waiting waiting;
        private final TransactionSends content;
        private final Reply<@Nullable Void> reply;

        /** @param reservation of the holding queue's id, among the frames; or null */
        Prepare(
                List<Frame> frames,
                @Nullable MetaChange reservation,
                Waiting waiting,
                TransactionSends content,
                Reply<@Nullable Void> reply) {
            super(frames, Durability.SYNC);
            this.reservation = reservation;
            this.waiting = waiting;
            this.content = content;
            this.reply = reply;
        }

        @Override
        public void onApplied() {
            if (reservation != null) {
                queues.hosts().reserved(reservation);
            }
            content.releaseBut(waiting.inMemory);
            prepared.put(new Name(waiting.branch.virtualHost(), waiting.branch.id()), waiting);
            reply.done();
        }

        @Override
        void inDoubt() {
            content.release();
            reply.refused(
                    ErrorKind.UNAVAILABLE,
                    "MS-0362",
                    "the log has failed while the branch was prepared, the outcome is unknown: " + store.stateReason()
                            + ".",
                    "restart the broker, then recover.");
        }

        @Override
        void refused() {
            content.release();
            counts.merge(waiting.branch.virtualHost(), -1, Integer::sum);
            if (waiting.work != null) {
                waiting.work.undo();
            }
            release(waiting.branch.virtualHost(), waiting.branch.id());
            reply.refused(
                    ErrorKind.ROLLED_BACK,
                    "MS-0360",
                    "the transaction was rolled back: " + store.stateReason() + ".",
                    "free disk space, then do it again.");
        }
    }
}
