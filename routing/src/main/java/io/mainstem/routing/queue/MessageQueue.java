package io.mainstem.routing.queue;

import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.Policy;
import io.mainstem.routing.QueueInfo;
import io.mainstem.routing.QueueStatus;
import io.mainstem.routing.selector.Selector;
import io.mainstem.routing.topology.Topology;
import io.mainstem.store.Lane;
import io.mainstem.store.Route;
import io.mainstem.store.ShardStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One queue: lanes of entries, consumers, and what is in flight. An idle queue is this object and nothing else, so that
 * 100,000 of them are cheap; entries and ack state belong to the store.
 *
 * <p>Thread: shard only.
 */
final class MessageQueue implements ReadAheadOwner {
    private final Topology topology;
    private final QueueInfo info;
    private QueueOptions options;
    private @Nullable Policy policy;
    private final @Nullable ShardPeer owner;
    private @Nullable QueueConsumers consumers;
    private @Nullable Transients transients;
    private @Nullable ReadAhead readAhead;
    private @Nullable Scans scans;
    private @Nullable MessageGroups groups;
    private @Nullable LastValues lastValues;
    private int purgesUnderWay;
    private int holds;
    private List<Runnable> afterPurges = List.of();
    /** Failed deliveries whose record is under way, by {@link Held#key}. */
    private @Nullable Map<Long, Integer> failuresUnderWay;
    /** Bit p: the stored lane p may have ready entries; bit 16 + p: the transient one. */
    private int lanesReady;

    private boolean deleted;

    /** Kept by {@link Dispatcher}: waits to be dispatched. */
    boolean dirty;
    /** Kept by {@link Dispatcher}: of the two lanes of a priority the transient one is next. */
    boolean transientNext;
    /** Kept by {@link UnusedQueues}: when it goes unless it is used, epoch ms; 0 = not entered. */
    long unusedDueMs;
    /** Kept by {@link UnusedQueues}: the entry there that counts. */
    long unusedEnteredMs;
    /** Kept by {@link ExpiryTimer}: when it is due, epoch ms; 0 = not entered. */
    long expiryDueMs;

    /** Kept by {@link Admission}: messages that are on their way to it and have their room. */
    long comingMessages;
    /** Kept by {@link Admission}: their bytes. */
    long comingBytes;

    final ExpiryOrder expiryOrder = new ExpiryOrder();

    /** @param owner the session that declared it exclusive, or null */
    MessageQueue(Topology topology, QueueInfo info, QueueOptions options, @Nullable ShardPeer owner) {
        this.topology = topology;
        this.info = info;
        this.options = options;
        this.owner = owner;
    }

    /** The virtual host it is in. */
    Topology topology() {
        return topology;
    }

    QueueInfo info() {
        return info;
    }

    String name() {
        return info.spec().name();
    }

    int id() {
        return info.queueId();
    }

    /** What holds for it now: its arguments, and its policy's. */
    QueueOptions options() {
        return options;
    }

    void options(QueueOptions newOptions) {
        options = newOptions;
    }

    /** The policy that is part of its options, or null. */
    void policy(@Nullable Policy newPolicy) {
        policy = newPolicy;
    }

    @Nullable
    ShardPeer owner() {
        return owner;
    }

    long laneId(int priority) {
        return (long) id() << 8 | priority;
    }

    boolean deleted() {
        return deleted;
    }

    void markDeleted() {
        deleted = true;
    }

    int lanesReady() {
        return lanesReady;
    }

    void storedReady(int priority) {
        lanesReady |= 1 << priority;
    }

    void transientReady(int priority) {
        lanesReady |= 1 << (16 + priority);
    }

    void storedEmpty(int priority) {
        lanesReady &= ~(1 << priority);
    }

    void transientEmpty(int priority) {
        lanesReady &= ~(1 << (16 + priority));
    }

    @Nullable
    QueueConsumers consumers() {
        return consumers;
    }

    boolean hasConsumers() {
        return consumers != null && !consumers.isEmpty();
    }

    void attach(Consumer consumer) {
        QueueConsumers mine = consumers;
        if (mine == null) {
            mine = new QueueConsumers(options.singleActiveConsumer());
            consumers = mine;
        }
        mine.add(consumer);
    }

    void detach(Consumer consumer) {
        QueueConsumers mine = consumers;
        if (mine != null) {
            mine.remove(consumer);
            Scan scan = consumer.scan();
            if (scan != null && scans != null) {
                scans.release(scan);
            }
            if (groups != null && groups.release(consumer) && scans != null) {
                scans.rewindOwn();
            }
            if (mine.isEmpty()) {
                consumers = null;
                // A group that waits for a failed message goes on to wait, whoever comes next.
                groups = groups == null || groups.order().isEmpty() ? null : groups;
            }
        }
    }

    @Nullable
    Transients transients() {
        return transients;
    }

    /** Made by {@link TransientBudget} when the first non-durable message comes; null = they are gone. */
    void transients(@Nullable Transients newTransients) {
        transients = newTransients;
        if (newTransients == null) {
            lanesReady &= 0xffff;
        }
    }

    /** The lane, or null if it was never used. */
    @Nullable
    TransientLane transientLane(int priority) {
        return transients == null ? null : transients.laneIfAny(priority);
    }

    @Override
    public MessageQueue queue() {
        return this;
    }

    @Override
    public boolean gone() {
        return deleted;
    }

    @Override
    public @Nullable ReadAhead readAhead() {
        return readAhead;
    }

    @Override
    public void readAhead(@Nullable ReadAhead newReadAhead) {
        this.readAhead = newReadAhead;
    }

    /** Null = no consumer has or had a selector, and there are no message groups. */
    @Nullable
    Scans scans() {
        return scans;
    }

    /** Null = no message of a group has been met since there are consumers, and none of a group is under way. */
    @Nullable
    MessageGroups groups() {
        return groups;
    }

    /** Null = it keeps all values of a key. */
    @Nullable
    LastValues lastValues() {
        return lastValues;
    }

    void lastValues(LastValues itsValues) {
        lastValues = itsValues;
    }

    /** The scan of a consumer that joins, or null if it takes whatever is at the head. */
    @Nullable
    Scan scanFor(ConsumerSpec spec) {
        if (spec.browse() || (spec.selector() == null && groups == null)) {
            return null;
        }
        Selector selector = spec.selector();
        return groups != null || selector == null
                ? scansMade().make(selector)
                : scansMade().share(selector);
    }

    /** A message of a group has been met: from now on each consumer looks through the queue for itself. */
    MessageGroups groupsMade() {
        MessageGroups made = groups;
        if (made != null) {
            return made;
        }
        made = new MessageGroups();
        groups = made;
        for (Consumer consumer : consumers == null ? List.<Consumer>of() : consumers.all()) {
            Scan shared = consumer.scan();
            if (shared != null) {
                scansMade().release(shared);
            }
            consumer.scan(scanFor(consumer.spec()));
        }
        return made;
    }

    /** Something is ready again. */
    void givenBack(int slot, long place) {
        if (scans != null) {
            scans.givenBack(slot, place);
        }
    }

    private Scans scansMade() {
        Scans made = scans;
        if (made == null) {
            made = new Scans(this);
            scans = made;
        }
        return made;
    }

    /**
     * A record that settles everything in the queue is on its way to the log. Until it has been applied or refused, no
     * other record may refer to a message in here: it would come later in the log, and point at what is gone by then.
     */
    void purgeSubmitted() {
        purgesUnderWay++;
    }

    boolean purgeUnderWay() {
        return purgesUnderWay > 0;
    }

    /** To be done when no purge is under way any more. */
    void whenPurged(Runnable task) {
        if (afterPurges.isEmpty()) {
            afterPurges = new ArrayList<>();
        }
        afterPurges.add(task);
    }

    /** One such record has been applied, or was certainly not written. */
    void purgeDone() {
        if (--purgesUnderWay == 0) {
            List<Runnable> tasks = afterPurges;
            afterPurges = List.of();
            tasks.forEach(Runnable::run);
        }
    }

    /** It hands out nothing until {@link #letGo}, as often as this was called. */
    void hold() {
        holds++;
    }

    /** True if nothing holds it any more. */
    boolean letGo() {
        return --holds == 0;
    }

    /** Messages are being given back to it that go before those it has. */
    boolean onHold() {
        return holds > 0;
    }

    /** Failed deliveries of a stored entry, those included whose record is under way. */
    int failedCount(Lane lane, int priority, long index) {
        int recorded = lane.cursor().failedCount(index);
        return failuresUnderWay == null
                ? recorded
                : recorded + failuresUnderWay.getOrDefault(Held.Stored.key(priority, index), 0);
    }

    /** A delivery has failed; the record follows. */
    void failureUnderWay(Held.Stored held) {
        Map<Long, Integer> counts = failuresUnderWay;
        if (counts == null) {
            counts = new HashMap<>();
            failuresUnderWay = counts;
        }
        counts.merge(held.key(), 1, Integer::sum);
    }

    /** The record has come: the lane's own count has it now. */
    void failureRecorded(Held.Stored held) {
        if (failuresUnderWay != null) {
            failuresUnderWay.computeIfPresent(held.key(), (key, count) -> count > 1 ? count - 1 : null);
            if (failuresUnderWay.isEmpty()) {
                failuresUnderWay = null;
            }
        }
    }

    /** Messages not settled: ready and in flight. */
    long unsettled(ShardStore store) {
        long count = transients == null ? 0 : transients.unsettled();
        for (int priority = 0; priority < Route.LANES_MAX; priority++) {
            Lane lane = store.lane(laneId(priority));
            count += lane == null ? 0 : lane.cursor().unsettled();
        }
        return count;
    }

    /** What is in it now, for people. */
    QueueStatus status(ShardStore store) {
        long ready = ready(store);
        QueueConsumers attached = consumers;
        Transients inMemory = transients;
        ReadAhead reading = readAhead;
        return new QueueStatus(
                info,
                ready,
                unsettled(store) - ready,
                attached == null ? 0 : attached.all().size(),
                (inMemory == null ? 0 : inMemory.residentBytes()) + (reading == null ? 0 : reading.bytes()),
                policy == null ? null : policy.name(),
                Policies.effective(info.spec(), policy).arguments());
    }

    /** Messages that are ready. */
    long ready(ShardStore store) {
        long count = transients == null ? 0 : transients.ready();
        for (int priority = 0; priority < Route.LANES_MAX; priority++) {
            Lane lane = store.lane(laneId(priority));
            count += lane == null ? 0 : lane.cursor().ready();
        }
        return count;
    }
}
