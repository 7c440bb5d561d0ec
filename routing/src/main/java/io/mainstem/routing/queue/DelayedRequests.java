package io.mainstem.routing.queue;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.DelayedMessage;
import io.mainstem.routing.DelayedPage;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.MessageProperties;
import io.mainstem.store.Delay;
import io.mainstem.store.Durability;
import io.mainstem.store.Entry;
import io.mainstem.store.Frames;
import io.mainstem.store.Lane;
import io.mainstem.store.Route;
import io.mainstem.store.ScheduleLane;
import io.mainstem.store.Settlement;
import io.mainstem.store.ShardStore;
import io.mainstem.store.StoredMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Delayed messages, listed and cancelled. A message's id is its place in the schedule, hour and index, which nothing
 * moves. One that is being moved into its queues at that moment is delivered. Thread: shard only; messages are read one
 * after the other, on the store's read threads.
 */
final class DelayedRequests {
    /** Messages that are read for one page. */
    static final int LOOKS_MAX = 1024;

    private static final Pattern ID = Pattern.compile("(\\d{1,9})-(\\d{1,18})");

    private final Shard shard;
    private final ShardStore store;
    private final LogReads reads;

    DelayedRequests(Shard shard, ShardStore store, LogReads reads) {
        this.shard = shard;
        this.store = store;
        this.reads = reads;
    }

    /**
     * In the order of hours, and of one hour as they came. So many are looked at for a page: whoever has few among those of
     * others gets pages that are not full, and goes on from where they end.
     *
     * @param after where the page before ended, or empty
     */
    void list(BranchUser user, String after, int limit, Reply<DelayedPage> reply) {
        reply.orRefuse(() -> {
            Place from = after.isEmpty() ? new Place(0, 0) : place(after);
            new Listing(user, limit, reply).go(from.hour, after.isEmpty() ? 0 : from.index + 1);
        });
    }

    void cancel(BranchUser user, String id, Reply<@Nullable Void> reply) {
        reply.orRefuse(() -> {
            Place place = place(id);
            Lane lane = store.lane(ScheduleLane.ofHour(place.hour).laneId());
            if (lane == null || !waits(lane, place.index)) {
                throw notThere(id);
            }
            Entry entry = lane.entry(place.index);
            if (entry == null) {
                lane.fetch(place.index, () -> cancel(user, id, reply));
                return;
            }
            reads.readStored(
                    entry,
                    (stored, message, problem) -> reply.orRefuse(() -> {
                        if (message == null
                                || stored == null
                                || !sees(user, stored, message)
                                || !waits(lane, place.index)) {
                            throw notThere(id);
                        }
                        lane.cursor().take(place.index);
                        store.submit(new Cancel(lane, entry, reply));
                    }));
        });
    }

    private static boolean waits(Lane lane, long index) {
        return index >= lane.firstIndex() && lane.cursor().nextFrom(index) == index;
    }

    /** Where a message waits. */
    private record Place(long hour, long index) {}

    private static Place place(String id) {
        Matcher parts = ID.matcher(id);
        if (!parts.matches()) {
            throw notThere(id);
        }
        return new Place(Long.parseLong(parts.group(1)), Long.parseLong(parts.group(2)));
    }

    private static BrokerException notThere(String id) {
        return new BrokerException(
                ErrorKind.NOT_FOUND,
                "MS-0389",
                "no delayed message '" + id + "': it was delivered, or cancelled, or is somebody else's, or never was.",
                "list those that wait; an id looks like 492115-7.");
    }

    /** It goes to the user's virtual host, and is the user's own unless all are. */
    private boolean sees(BranchUser user, StoredMessage stored, Message message) {
        Delay delay = stored.delay();
        boolean here = delay != null
                && Stream.of(delay.stored(), delay.inMemory(), delay.bestEffort())
                        .flatMap(List::stream)
                        .map(Route::queueId)
                        .map(shard.queues()::byId)
                        .anyMatch(queue ->
                                queue == null || queue.topology().virtualHost().equals(user.virtualHost()));
        return here
                && (user.administers() || user.name().equals(message.envelope().user()));
    }

    /** One page. */
    private final class Listing {
        private final BranchUser user;
        private final int limit;
        private final Reply<DelayedPage> reply;
        private final List<DelayedMessage> found = new ArrayList<>();
        private int looks;
        private String last = "";

        Listing(BranchUser user, int limit, Reply<DelayedPage> reply) {
            this.user = user;
            this.limit = limit;
            this.reply = reply;
        }

        void go(long fromHour, long fromIndex) {
            long index = fromIndex;
            if (found.size() >= limit || looks >= LOOKS_MAX) {
                reply.done(new DelayedPage(found, last));
                return;
            }
            Long hour = shard.schedule().hourFrom(fromHour);
            while (hour != null) {
                Lane lane = store.lane(ScheduleLane.ofHour(hour).laneId());
                long next = lane == null
                        ? -1
                        : lane.cursor().nextFrom(Math.max(lane.firstIndex(), hour == fromHour ? index : 0));
                if (lane != null && next >= 0) {
                    look(hour, lane, next);
                    return;
                }
                hour = shard.schedule().hourFrom(hour + 1);
            }
            reply.done(new DelayedPage(found, null));
        }

        private void look(long hour, Lane lane, long index) {
            Entry entry = lane.entry(index);
            if (entry == null) {
                lane.fetch(index, () -> go(hour, index));
                return;
            }
            looks++;
            last = hour + "-" + index;
            reads.readStored(entry, (stored, message, problem) -> {
                if (stored != null && message != null && sees(user, stored, message)) {
                    found.add(described(hour, index, entry, message));
                }
                go(hour, index + 1);
            });
        }

        private DelayedMessage described(long hour, long index, Entry entry, Message message) {
            Envelope envelope = message.envelope();
            Object id = MessageProperties.read(message.sections(), envelope.offsets())
                    .messageId();
            return new DelayedMessage(
                    hour + "-" + index,
                    entry.expireAtMs(),
                    envelope.exchange(),
                    envelope.routingKey(),
                    id == null || id instanceof byte[] ? null : id.toString(),
                    envelope.user(),
                    message.sectionBytes());
        }
    }

    /** The end of one message. */
    private final class Cancel extends LoggedChange {
        private final Lane lane;
        private final Entry entry;
        private final Reply<@Nullable Void> reply;

        Cancel(Lane lane, Entry entry, Reply<@Nullable Void> reply) {
            super(
                    List.of(Frames.settle(List.of(new Settlement(lane.laneId(), entry, Settlement.Kind.DROPPED)))),
                    Durability.SYNC);
            this.lane = lane;
            this.entry = entry;
            this.reply = reply;
        }

        @Override
        public void onApplied() {
            shard.schedule().moved(lane);
            reply.done();
        }

        @Override
        void refused() {
            shard.schedule().giveBack(lane, entry);
            reply.noRoom("the change", store.stateReason());
        }

        @Override
        void inDoubt() {
            reply.inDoubt("the change", store.stateReason());
        }
    }
}
