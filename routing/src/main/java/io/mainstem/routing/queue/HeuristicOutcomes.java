package io.mainstem.routing.queue;

import io.mainstem.routing.BranchId;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.message.BinaryReader;
import io.mainstem.routing.message.BinaryWriter;
import io.mainstem.store.Durability;
import io.mainstem.store.Frames;
import io.mainstem.store.MetaChange;
import io.mainstem.store.ShardStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Branches that were decided without their coordinator, remembered until it forgets them (ADR 0029). Thread: shard.
 *
 * <pre>
 * heuristic/(holding queue id)/(branch id in hex) = u8 version = 1 | u8 committed | text virtual host | blob branch id
 *                                                 | text user whose branch it was | text user who decided
 * </pre>
 */
final class HeuristicOutcomes {
    private static final String KEY = "heuristic/";
    private static final int VERSION = 1;

    private final ShardStore store;
    private final Map<String, TreeMap<BranchId, Decided>> byHost = new TreeMap<>();

    HeuristicOutcomes(ShardStore store) {
        this.store = store;
    }

    /**
     * One of them.
     *
     * @param key of its record
     * @param owner who has prepared it; empty if that is not known
     * @param by who has decided
     */
    record Decided(String key, BranchId id, boolean committed, String virtualHost, String owner, String by) {
        static Decided of(PreparedBranch branch, boolean committed, String by) {
            String key = KEY + branch.key().substring(PreparedBranch.KEY.length());
            String owner = branch.user() == null ? "" : branch.user();
            return new Decided(key, branch.id(), committed, branch.virtualHost(), owner, by);
        }

        /** What makes it last. */
        MetaChange record() {
            byte[] value = new BinaryWriter(64)
                    .u8(VERSION)
                    .u8(committed ? 1 : 0)
                    .text(virtualHost)
                    .blob(id.bytes())
                    .text(owner)
                    .text(by)
                    .toByteArray();
            return new MetaChange(key, value);
        }

        private static Decided decode(String key, byte[] value) {
            BinaryReader in = new BinaryReader(value);
            in.number(VERSION);
            boolean committed = in.u8() == 1;
            String host = in.text();
            Decided decided = new Decided(key, BranchId.of(in.blob()), committed, host, in.text(), in.text());
            in.expectEnd();
            return decided;
        }
    }

    /** What the log knows; their names are in use. Thread: any, before the shard starts. */
    void recover(java.util.function.Consumer<Decided> known) {
        store.meta().subMap(KEY, "heuristic0").forEach((key, value) -> {
            Decided decided = Decided.decode(key, value);
            add(decided);
            known.accept(decided);
        });
    }

    /** Its record is on disk. */
    void add(Decided decided) {
        byHost.computeIfAbsent(decided.virtualHost, host -> new TreeMap<>()).put(decided.id, decided);
    }

    @Nullable
    Decided find(String virtualHost, BranchId id) {
        return byHost.getOrDefault(virtualHost, new TreeMap<>()).get(id);
    }

    /** Those that this user may see, ascending. */
    List<BranchId> of(BranchUser by) {
        List<BranchId> found = new ArrayList<>();
        byHost.getOrDefault(by.virtualHost(), new TreeMap<>()).values().forEach(decided -> {
            if (maySee(by, decided)) {
                found.add(decided.id);
            }
        });
        return found;
    }

    private static boolean maySee(BranchUser by, Decided decided) {
        return by.administers() || by.name().equals(decided.owner);
    }

    /** The coordinator's own decision comes too late. */
    static BrokerException tooLate(Decided decided) {
        return new BrokerException(
                ErrorKind.PRECONDITION_FAILED,
                "MS-0374",
                "transaction branch " + decided.id + " was " + (decided.committed ? "committed" : "rolled back")
                        + " heuristically by user '" + decided.by + "'.",
                "compare what its other branches came to, then forget it.");
    }

    /** @param gone told when it is on disk that it is forgotten */
    void forget(BranchUser by, Decided decided, Runnable gone, Reply<@Nullable Void> reply) {
        if (!maySee(by, decided)) {
            reply.refused(
                    ErrorKind.ACCESS_REFUSED,
                    "MS-0370",
                    "user '" + by.name() + "' may not forget transaction branch " + decided.id
                            + ": another user has prepared it.",
                    "let that user forget it, or an administrator.");
            return;
        }
        store.submit(new Forgetting(decided, gone, reply));
    }

    private final class Forgetting extends LoggedChange {
        private final Decided decided;
        private final Runnable gone;
        private final Reply<@Nullable Void> reply;

        Forgetting(Decided decided, Runnable gone, Reply<@Nullable Void> reply) {
            super(List.of(Frames.meta(List.of(new MetaChange(decided.key, null)))), Durability.SYNC);
            this.decided = decided;
            this.gone = gone;
            this.reply = reply;
        }

        @Override
        public void onApplied() {
            TreeMap<BranchId, Decided> host = byHost.get(decided.virtualHost);
            if (host != null && host.remove(decided.id) != null) {
                gone.run();
            }
            reply.done();
        }

        @Override
        void refused() {
            reply.noRoom("that the branch is forgotten", store.stateReason());
        }

        @Override
        void inDoubt() {
            reply.inDoubt("that the branch is forgotten", store.stateReason());
        }
    }
}
