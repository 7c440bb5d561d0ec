package io.mainstem.routing.queue;

import io.mainstem.routing.message.Message;
import io.mainstem.store.Delay;
import io.mainstem.store.Durability;
import io.mainstem.store.Entry;
import io.mainstem.store.Frame;
import io.mainstem.store.Frames;
import io.mainstem.store.Lane;
import io.mainstem.store.Settlement;
import io.mainstem.store.ShardStore;
import io.mainstem.store.StoredMessage;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Moves delayed messages whose time has come into their queues: read back, then in one group a reference into the queues
 * and the settlement in the schedule, so that each comes exactly once whenever a crash comes between. Where they go was
 * decided when they were published; queues that are gone are left out. Thread: shard only.
 */
final class DueMessages {
    private static final Logger LOG = LoggerFactory.getLogger(DueMessages.class);
    private static final int GROUP_MESSAGES_MAX = 1000;
    /** Lanes of all messages of a group; one message may go to more. */
    private static final int GROUP_LANES_MAX = 8192;

    private static final int WAITING_MAX = 4 * GROUP_MESSAGES_MAX;
    private static final int READS_MAX = 64;
    /** Of messages being read or written; one larger than that goes alone. */
    private static final long BYTES_MAX = 8 << 20;

    private final Shard shard;
    private final ShardStore store;
    private final LogReads reads;
    /** In order of their time. */
    private final ArrayDeque<Due> waiting = new ArrayDeque<>();

    private final ArrayDeque<Due> unread = new ArrayDeque<>();
    /** That the log had no room for, before all that wait: they are tried again, and nothing overtakes them. */
    private final ArrayDeque<Due> refused = new ArrayDeque<>();

    private int reading;
    private int moving;
    private long bytes;

    DueMessages(Shard shard, ShardStore store, LogReads reads) {
        this.shard = shard;
        this.store = store;
        this.reads = reads;
    }

    boolean hasRoom() {
        return waiting.size() + refused.size() + moving < WAITING_MAX;
    }

    /** An entry of the schedule, taken, whose time has come. */
    void add(Lane lane, long index) {
        Due due = new Due(lane, index);
        waiting.add(due);
        unread.add(due);
        look(due);
    }

    /** Until its block is in memory when it is looked at. */
    private static void look(Due due) {
        due.entry = due.lane.entry(due.index);
        if (due.entry == null) {
            due.lane.fetch(due.index, () -> look(due));
        }
    }

    /** Reads ahead and submits what is complete, in order. */
    void move() {
        for (Due next = unread.peek(); next != null && next.entry != null && reads(next); next = unread.peek()) {
            unread.remove();
        }
        Due first = waiting.peek();
        if (first == null || !first.read() || !refused.isEmpty()) {
            return;
        }
        Move move = new Move();
        while (first != null && first.read() && move.takes(first)) {
            waiting.remove();
            move.add(first);
            first = waiting.peek();
        }
        move.submit();
    }

    private void again() {
        while (!refused.isEmpty()) {
            waiting.addFirst(refused.removeLast());
        }
    }

    private boolean reads(Due due) {
        Entry entry = due.entry;
        if (entry == null || reading >= READS_MAX || (bytes > 0 && bytes + entry.size() > BYTES_MAX)) {
            return false;
        }
        reading++;
        due.bytes = entry.size();
        bytes += due.bytes;
        reads.readStored(entry, (stored, message, problem) -> {
            reading--;
            if (message != null) {
                bytes += message.sectionBytes() - due.bytes;
                due.bytes = message.sectionBytes();
            }
            due.stored = stored;
            due.message = message;
            due.problem = problem;
        });
        return true;
    }

    /** Damage costs that message only: it stays where it is, taken. */
    private static void unreadable(Due due) {
        LOG.error(
                "MS-0390 delayed message unreadable lane={} index={} cause={} "
                        + "fix: stop the broker and run `mainstem store verify`",
                due.lane.laneId(),
                due.index,
                String.valueOf(due.problem));
    }

    /** One message whose time has come. */
    private static final class Due {
        private final Lane lane;
        private final long index;
        private @Nullable Entry entry;
        private long bytes;
        private @Nullable StoredMessage stored;
        private @Nullable Message message;
        private @Nullable Throwable problem;

        Due(Lane lane, long index) {
            this.lane = lane;
            this.index = index;
        }

        boolean read() {
            return message != null || problem != null;
        }
    }

    /** A message and the lanes it has got. */
    private record Moved(Due due, Message message, @Nullable Frame frame, Destinations to) {}

    /** Collects the records of one group. */
    private final class Move {
        private final List<Moved> moved = new ArrayList<>();
        private final List<Frame> frames = new ArrayList<>();
        private final List<Settlement> settlements = new ArrayList<>();
        private final SettleRoom room = new SettleRoom();
        private long groupBytes;
        private int lanes;
        private @Nullable Lane lane;

        boolean takes(Due due) {
            Entry entry = due.entry;
            return settlements.size() < GROUP_MESSAGES_MAX
                    && lanes < GROUP_LANES_MAX
                    && (lane == null || lane == due.lane)
                    && entry != null
                    && room.fits(entry);
        }

        void add(Due due) {
            Entry entry = due.entry;
            Message message = due.message;
            Delay delay = due.stored == null ? null : due.stored.delay();
            if (message == null || entry == null || due.stored == null || delay == null) {
                unreadable(due);
                bytes -= due.bytes;
                return;
            }
            groupBytes += due.bytes;
            Destinations to = new Destinations(
                            delay.stored(), delay.inMemory(), delay.bestEffort(), due.stored.expiry())
                    .keep(lane -> shard.queues().byId(lane.queueId()) != null);
            Frame frame = null;
            if (!to.stored().isEmpty()) {
                frame = Frames.messageRef(to.stored(), entry, to.expiry(), new byte[0]);
                frames.add(frame);
            }
            lanes += to.stored().size();
            room.add(entry);
            lane = due.lane;
            settlements.add(new Settlement(due.lane.laneId(), entry, Settlement.Kind.MOVED));
            moved.add(new Moved(due, message, frame, to));
        }

        void submit() {
            if (settlements.isEmpty() || lane == null) {
                return;
            }
            frames.add(Frames.settle(settlements));
            moving += settlements.size();
            store.submit(new Group(frames, moved, lane, groupBytes));
        }
    }

    /** The move of up to a thousand messages, all or nothing. */
    private final class Group extends LoggedChange {
        private final List<Moved> moved;
        private final Lane lane;
        private final long groupBytes;

        Group(List<Frame> frames, List<Moved> moved, Lane lane, long groupBytes) {
            // Not WRITE: a power cut would put back where it was, and without its mark, what was seen meanwhile.
            super(frames, Durability.SYNC);
            this.moved = moved;
            this.lane = lane;
            this.groupBytes = groupBytes;
        }

        @Override
        public void onApplied() {
            bytes -= groupBytes;
            moving -= moved.size();
            for (Moved each : moved) {
                if (each.frame() != null) {
                    shard.publishing()
                            .stored(
                                    each.frame().lsn(),
                                    each.message(),
                                    each.to().stored());
                }
                shard.publishing().queueUnattended(each.message(), each.to());
            }
            shard.schedule().moved(lane);
        }

        @Override
        void refused() {
            moving -= moved.size();
            if (refused.isEmpty()) {
                shard.retryLater(DueMessages.this::again);
            }
            moved.forEach(each -> refused.add(each.due));
        }

        @Override
        void inDoubt() {
            // Nobody waits for it.
        }
    }
}
