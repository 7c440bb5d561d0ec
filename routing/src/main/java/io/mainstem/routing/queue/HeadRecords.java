package io.mainstem.routing.queue;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.HeadRecord;
import io.mainstem.routing.topology.VirtualHosts;
import io.mainstem.store.Durability;
import io.mainstem.store.Entry;
import io.mainstem.store.Frame;
import io.mainstem.store.Frames;
import io.mainstem.store.MetaChange;
import io.mainstem.store.Settlement;
import io.mainstem.store.ShardStore;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What heads keep: entries of the store's metadata below {@code head/E(virtual host)/}. Those of one iteration become
 * one group, together with the deliveries that are accepted with them. Thread: shard, except {@link #frame}.
 */
final class HeadRecords {
    /** Keeps a group well below the largest record. */
    private static final int CHANGES_MAX = 2048;
    /** What a change takes in the record beside key and value, at most. */
    private static final int CHANGE_OVERHEAD_BYTES = 16;

    private final Shard shard;
    private final ShardStore store;
    private final SettleRoom room = new SettleRoom();
    private List<MetaChange> changes = new ArrayList<>();
    /** What the changes take in their record, at most. */
    private long changesBytes;

    private List<Held.Stored> accepted = new ArrayList<>();
    private List<Reply<@Nullable Void>> replies = new ArrayList<>();

    HeadRecords(Shard shard, ShardStore store) {
        this.shard = shard;
        this.store = store;
    }

    /**
     * What is kept with a message as a frame, or null if that is nothing. Thread: any.
     *
     * @throws BrokerException if it is too large for a record
     */
    static @Nullable Frame frame(ShardPeer peer, List<HeadRecord> records, @Nullable MetaChange more) {
        List<MetaChange> changes = changes(peer, records);
        if (more != null) {
            changes.add(more);
        }
        return changes.isEmpty() ? null : checked(changes);
    }

    /** Keeps records; the reply comes when they are on disk. */
    void keep(ShardPeer peer, List<HeadRecord> records, Reply<@Nullable Void> reply) {
        List<MetaChange> its = changes(peer, records);
        reply.orRefuse(() -> {
            checked(its);
            makeRoom(its, null);
            add(its, reply);
        });
    }

    /** Settles an entry as accepted and keeps records, both or none; what is refused is ready again. */
    void accept(ShardPeer peer, Held.Stored held, List<HeadRecord> records, Reply<@Nullable Void> reply) {
        List<MetaChange> its = changes(peer, records);
        try {
            checked(its);
        } catch (BrokerException tooLarge) {
            shard.outcomes().giveBack(held, false);
            reply.refused(tooLarge);
            return;
        }
        Entry entry = held.queue().deleted() || held.settled(store) ? null : held.entry();
        makeRoom(its, entry);
        if (entry != null) {
            room.add(entry);
            accepted.add(held);
        }
        add(its, reply);
    }

    /** Hands over what was collected before if these do not fit one record with it, though each request does alone. */
    private void makeRoom(List<MetaChange> its, @Nullable Entry entry) {
        if (changesBytes + bytes(its) > ShardStore.RECORD_BODY_BYTES_MAX - CHANGE_OVERHEAD_BYTES
                || (entry != null && !room.fits(entry))) {
            submit();
        }
    }

    private void add(List<MetaChange> its, Reply<@Nullable Void> reply) {
        changes.addAll(its);
        changesBytes += bytes(its);
        replies.add(reply);
        if (changes.size() >= CHANGES_MAX) {
            submit();
        }
    }

    private static long bytes(List<MetaChange> its) {
        long bytes = 0;
        for (MetaChange change : its) {
            byte[] value = change.value();
            bytes += CHANGE_OVERHEAD_BYTES + 3L * change.key().length() + (value == null ? 0 : value.length);
        }
        return bytes;
    }

    /** Everything below the prefix as of now, by the head's own keys; a copy. */
    SortedMap<String, byte[]> below(ShardPeer peer, String prefix) {
        String own = VirtualHosts.headRecords(peer.client().virtualHost());
        String from = own + prefix;
        SortedMap<String, byte[]> found = new TreeMap<>();
        store.meta()
                .subMap(from, from + Character.MAX_VALUE)
                .forEach((key, value) -> found.put(key.substring(own.length()), value));
        return found;
    }

    /** Whether any is below the prefix as of now, which is not empty. */
    boolean anyBelow(String virtualHost, String prefix) {
        String from = VirtualHosts.headRecords(virtualHost) + prefix;
        String first = store.meta().ceilingKey(from);
        return first != null && first.startsWith(from);
    }

    /** Hands over what an iteration has collected. */
    void submit() {
        if (replies.isEmpty()) {
            return;
        }
        List<Frame> frames = new ArrayList<>(2);
        List<Held.Stored> settled = accepted;
        if (!settled.isEmpty()) {
            frames.add(Frames.settle(settled.stream()
                    .map(held -> new Settlement(held.laneId(), held.entry(), Settlement.Kind.ACK))
                    .toList()));
            accepted = new ArrayList<>();
            room.clear();
        }
        if (!changes.isEmpty()) {
            frames.add(Frames.meta(changes));
            changes = new ArrayList<>();
            changesBytes = 0;
        }
        if (frames.isEmpty()) {
            replies.forEach(Reply::done);
        } else {
            store.submit(new Group(frames, settled, replies));
        }
        replies = new ArrayList<>();
    }

    private static List<MetaChange> changes(ShardPeer peer, List<HeadRecord> records) {
        String own = VirtualHosts.headRecords(peer.client().virtualHost());
        List<MetaChange> changes = new ArrayList<>(records.size() + 1);
        for (HeadRecord record : records) {
            changes.add(new MetaChange(own + record.key(), record.value()));
        }
        return changes;
    }

    private static Frame checked(List<MetaChange> changes) {
        try {
            return Frames.meta(changes);
        } catch (IllegalArgumentException tooLarge) {
            throw new BrokerException(
                    ErrorKind.INVALID_ARGUMENT,
                    "MS-0346",
                    "what is to be kept does not fit a record: " + tooLarge.getMessage() + ".",
                    "use shorter names, or retain smaller messages.");
        }
    }

    private final class Group extends LoggedChange {
        private final List<Held.Stored> settled;
        private final List<Reply<@Nullable Void>> waiting;

        Group(List<Frame> frames, List<Held.Stored> settled, List<Reply<@Nullable Void>> waiting) {
            super(frames, Durability.SYNC);
            this.settled = settled;
            this.waiting = waiting;
        }

        @Override
        public void onApplied() {
            waiting.forEach(Reply::done);
        }

        @Override
        void refused() {
            settled.forEach(held -> shard.outcomes().giveBack(held, false));
            waiting.forEach(reply -> reply.noRoom("the change", store.stateReason()));
        }

        @Override
        void inDoubt() {
            waiting.forEach(reply -> reply.inDoubt("the change", store.stateReason()));
        }
    }
}
