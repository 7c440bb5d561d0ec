package io.mainstem.routing.queue;

import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.HeadRecord;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.access.AccessPolicy;
import io.mainstem.routing.dedup.PublishedIds;
import io.mainstem.store.Settlement;
import io.mainstem.store.ShardStore;
import io.mainstem.store.StoreState;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One log and the one thread that owns all state of its queues [architecture]. Others hand it batches; it hands batches
 * back. It neither blocks nor touches a socket, and reads the clock once per iteration.
 *
 * <p>Thread: {@link #post}, {@link #stop} and {@link #store} any, everything else the shard.
 */
final class Shard {
    private static final Logger LOG = LoggerFactory.getLogger(Shard.class);
    private static final int RECORDS_PER_POLL = 1024;
    /** Of requests, of deliveries, and so on: each is about a millisecond. */
    private static final int STEPS_PER_TURN = 2048;
    /** The log's once-a-second work, such as looking at free space, needs a look now and then. */
    private static final long PARK_MS_MAX = 1000;

    private final ShardStore store;
    private final InstantSource clock;
    private final FailureListener onFailure;
    private final ShardThread thread;
    private final List<Outbox> touched = new ArrayList<>();
    private final Set<ShardPeer> peers = new LinkedHashSet<>();
    private final TurnBudget requestBudget;
    /** For what is due at some time. */
    private final TurnBudget timeBudget;

    private final WorkTurns work;
    private final LogReads reads;
    private final Dispatcher dispatcher;
    private final Outcomes outcomes;
    private final AnnotatedMessages annotated;
    private final SettlementBatch settlements;
    private final HeadRecords records;
    private final DeadLetters deadLetters;
    private final Expiry expiry;
    private final ExpirySweeps sweeps;
    private final LengthLimits limits;
    private final LastValueQueues lastValues;
    private final Waits waits = new Waits();
    private final Retries retries = new Retries();
    private final TransientBudget transients;
    private final Publishing publishing;
    private final TransactionBudget transactionBudget;
    private final Schedule schedule;
    private final PreparedBranches branches;
    private final PublishedIds publishedIds;
    private final QueueCatalog queues;
    private final QueueRequests requests;
    private final PolicyRequests policies;
    private final DelayedRequests delayed;
    private volatile boolean stopped;
    private @Nullable Ending ending;
    private boolean failed;
    private long nowMs;
    private boolean clockSetBack;

    /**
     * @param access who may do what, at any moment
     * @param onFailure told once, on the shard thread, that the log or the shard has failed
     */
    Shard(
            ShardStore store,
            ShardSettings settings,
            InstantSource clock,
            Supplier<AccessPolicy> access,
            FailureListener onFailure) {
        this(store, settings, clock, access, onFailure, STEPS_PER_TURN);
    }

    /** @param stepsPerTurn of each part in an iteration */
    Shard(
            ShardStore store,
            ShardSettings settings,
            InstantSource clock,
            Supplier<AccessPolicy> access,
            FailureListener onFailure,
            int stepsPerTurn) {
        this.store = store;
        this.clock = clock;
        this.onFailure = onFailure;
        this.nowMs = clock.millis();
        this.requestBudget = new TurnBudget(stepsPerTurn);
        this.timeBudget = new TurnBudget(stepsPerTurn);
        this.work = new WorkTurns(requestBudget);
        TailCache tail = new TailCache(settings.tailCacheBytes());
        this.transients = new TransientBudget(this, store, settings);
        this.reads = new LogReads(this, store, tail, settings.readAheadBytes(), settings.coldReadsMax());
        this.dispatcher = new Dispatcher(this, store, reads, new TurnBudget(stepsPerTurn));
        this.settlements = new SettlementBatch(this, store);
        this.records = new HeadRecords(this, store);
        this.outcomes = new Outcomes(this, store, settlements);
        this.annotated = new AnnotatedMessages(this, store, settlements, settings.annotationBytesMax());
        this.deadLetters = new DeadLetters(this, store, reads);
        this.expiry = new Expiry(this, reads);
        this.sweeps = new ExpirySweeps(this, store);
        this.publishing = new Publishing(this, tail, transients);
        this.transactionBudget =
                new TransactionBudget(4 * settings.sessionInFlightBytesMax(), settings.transientBytesMax());
        this.schedule = new Schedule(this, store, reads, settings.nearEntriesMax());
        LastValueBudget lastValueBudget = new LastValueBudget(settings.lastValueBytesMax());
        this.lastValues = new LastValueQueues(this, store, lastValueBudget, new TurnBudget(stepsPerTurn));
        this.queues = new QueueCatalog(store, transients, reads, lastValueBudget, access, settings.topology());
        this.limits = new LengthLimits(this, store, queues, new TurnBudget(stepsPerTurn));
        this.branches = new PreparedBranches(this, store, queues);
        this.publishedIds = new PublishedIds(settings.dedup());
        this.requests = new QueueRequests(this, store, queues);
        this.policies = new PolicyRequests(this, store, queues);
        this.delayed = new DelayedRequests(this, store, reads);
        this.thread = new ShardThread("mainstem-shard", this::loop);
    }

    /** How the shard ends. */
    enum Ending {
        /** Everything under way becomes durable, then the store is closed. */
        CLOSE,
        /** As a crash would. */
        ABANDON
    }

    /** Takes over what the store holds, and starts the thread. */
    void start() {
        recover();
        thread.start();
    }

    /** Takes over what the store holds; without a thread whoever calls {@link #iterate} is the shard. */
    void recover() {
        store.attach(thread::wake);
        store.nameQueues(id -> {
            MessageQueue queue = queues.byId(id);
            return queue == null ? null : queue.name();
        });
        queues.recover(queue -> {
            dispatcher.markDirty(queue);
            sweeps.recovered(queue);
            limits.arrived(queue, null);
        });
        queues.all().forEach(lastValues::recovered);
        branches.recover();
        publishedIds.recover(store.meta());
        requests.recovered();
        schedule.recover();
        annotated.recover();
    }

    /** Hands a task to the shard. */
    void post(Runnable task) {
        thread.post(task);
    }

    /** Ends the shard and waits for its thread. Idempotent. */
    void stop(Ending how) {
        post(() -> ending = ending == null ? how : ending);
        thread.join();
    }

    /** True once the shard takes no more tasks. */
    boolean stopped() {
        return stopped;
    }

    ShardStore store() {
        return store;
    }

    long nowMs() {
        return nowMs;
    }

    /** True if the clock was set back: {@link #nowMs} stands until it has caught up, maybe for hours. */
    boolean clockSetBack() {
        return clockSetBack;
    }

    Dispatcher dispatcher() {
        return dispatcher;
    }

    Outcomes outcomes() {
        return outcomes;
    }

    /** What consumers have added to messages. */
    AnnotatedMessages annotated() {
        return annotated;
    }

    LogReads reads() {
        return reads;
    }

    HeadRecords records() {
        return records;
    }

    DeadLetters deadLetters() {
        return deadLetters;
    }

    Expiry expiry() {
        return expiry;
    }

    Waits waits() {
        return waits;
    }

    /** Does something again that could not be done, after a pause. */
    void retryLater(Runnable again) {
        retries.later(nowMs, again);
    }

    LengthLimits limits() {
        return limits;
    }

    LastValueQueues lastValues() {
        return lastValues;
    }

    ExpirySweeps sweeps() {
        return sweeps;
    }

    TransientBudget transients() {
        return transients;
    }

    Publishing publishing() {
        return publishing;
    }

    PreparedBranches branches() {
        return branches;
    }

    /** What was published already. */
    PublishedIds publishedIds() {
        return publishedIds;
    }

    TransactionBudget transactionBudget() {
        return transactionBudget;
    }

    Schedule schedule() {
        return schedule;
    }

    QueueCatalog queues() {
        return queues;
    }

    QueueRequests requests() {
        return requests;
    }

    PolicyRequests policies() {
        return policies;
    }

    DelayedRequests delayed() {
        return delayed;
    }

    WorkTurns work() {
        return work;
    }

    List<Outbox> touched() {
        return touched;
    }

    // ---- sessions and consumers ------------------------------------------------------------------------------

    void connect(ShardPeer peer) {
        peers.add(peer);
    }

    void disconnect(ShardPeer peer) {
        if (peers.remove(peer)) {
            peer.close();
            peer.work().begin(new Disconnecting(this, peer));
        }
    }

    void limit(Consumer consumer, long limit, boolean drain, boolean more) {
        QueueConsumers consumers = consumer.queue().consumers();
        if (!consumer.closed() && consumers != null) {
            consumer.limit(limit, drain, more);
            consumers.creditChanged(consumer);
            dispatcher.markDirty(consumer.queue());
        }
    }

    void settle(Consumer consumer, long first, long last, Outcome outcome) {
        outcomes.settle(consumer, first, last, outcome);
    }

    /** Accepts one delivery together with records of its head. */
    void accept(Consumer consumer, long deliveryId, List<HeadRecord> kept, Reply<@Nullable Void> reply) {
        Held held = consumer.unsettled().remove(deliveryId);
        if (held instanceof Held.Stored stored) {
            outcomes.left(stored);
            records.accept(consumer.peer(), stored, kept, reply);
        } else if (held == null && consumer.closed()) {
            // It was given back: a record that says that it is done with would stand beside a message that comes again.
            reply.refused(
                    ErrorKind.UNAVAILABLE,
                    "MS-0337",
                    "the consumer has ended and its delivery was given back.",
                    "connect again and settle it when it comes again.");
        } else {
            if (held != null) {
                outcomes.done(held, Settlement.Kind.ACK);
            }
            records.keep(consumer.peer(), kept, reply);
        }
    }

    void detach(Consumer consumer, Outcome unsettled) {
        if (!consumer.closed()) {
            consumer.close();
            consumer.peer().consumers().remove(consumer);
            consumer.queue().detach(consumer);
            reads.discard(consumer);
            Scan scan = consumer.scan();
            if (scan != null && scan.gone()) {
                reads.discard(scan);
            }
            outcomes.settleAll(consumer, unsettled);
            dispatcher.markDirty(consumer.queue());
            requests.consumerLeft(consumer.queue());
        }
    }

    /** True once the log takes nothing more. */
    boolean failed() {
        return failed;
    }

    /** The log takes nothing more: consumers are cancelled, publishes are answered as unknown. */
    void storeFailed() {
        if (!failed && ending == null) {
            failed = true;
            fail(new IllegalStateException(store.stateReason()));
        }
    }

    // ---- the loop --------------------------------------------------------------------------------------------

    /** Iterates until it is stopped. */
    void loop() {
        try {
            while (ending == null) {
                thread.look();
                if (!iterate() && ending == null) {
                    thread.park(parkMs());
                }
            }
            end();
        } catch (RuntimeException | Error bug) {
            LOG.error(
                    "MS-0338 shard stopped by a defect; outcome of what was under way is unknown "
                            + "fix: report this with the stack trace, then restart",
                    bug);
            fail(bug);
            store.abandon();
        } finally {
            // In this order: whoever sees that it has stopped knows that the last answers are on their way.
            flush();
            stopped = true;
        }
    }

    /** Returns true if there may be more to do at once. */
    boolean iterate() {
        long shownMs = clock.millis();
        clockSetBack = shownMs < nowMs;
        nowMs = Math.max(nowMs, shownMs);
        requestBudget.renew();
        int done = thread.drain() + store.poll(RECORDS_PER_POLL);
        if (store.state() == StoreState.FAILED) {
            storeFailed();
        }
        boolean more = work.run();
        timeBudget.renew();
        retries.run(nowMs, clockSetBack);
        more |= waits.run(nowMs, timeBudget);
        more |= !requests.expireUnused(timeBudget);
        more |= schedule.run();
        more |= lastValues.run();
        more |= dispatcher.run();
        more |= reads.giveTurns();
        more |= limits.run();
        more |= sweeps.run();
        more |= transients.endOfIteration();
        annotated.look();
        settlements.submitAndLook();
        records.submit();
        flush();
        more |= store.backgroundSlice(nowMs);
        return more || done > 0;
    }

    private long parkMs() {
        long swept = Math.min(sweeps.nextDueMs(), settlements.nextDueMs());
        long untilDue = Math.max(1, Math.min(Math.min(swept, schedule.nextDueMs()), waits.nextMs()) - nowMs);
        return Math.min(untilDue, PARK_MS_MAX);
    }

    private void flush() {
        for (int at = 0; at < touched.size(); at++) {
            touched.get(at).flush();
        }
        touched.clear();
    }

    private void end() {
        if (ending == Ending.ABANDON) {
            store.abandon();
            return;
        }
        // First what clients have already said: it counts.
        thread.drain();
        work.runAll(this::pollForWork);
        for (ShardPeer peer : List.copyOf(peers)) {
            List.copyOf(peer.transactions()).forEach(TransactionWork::giveBack);
            for (Consumer consumer : List.copyOf(peer.consumers())) {
                consumer.cancelled(ErrorKind.UNAVAILABLE, "the broker is stopping");
                // Not what the consumer has set for its loss: a stop is no failure of it.
                detach(consumer, Outcome.UNCOUNTED);
            }
            disconnect(peer);
        }
        thread.drain();
        work.runAll(this::pollForWork);
        settlements.submitAndLook();
        records.submit();
        store.close();
    }

    /** A purge that waits for a transaction's end, say, waits for the log. */
    private boolean pollForWork() {
        store.poll(RECORDS_PER_POLL);
        return store.state() != StoreState.FAILED;
    }

    private void fail(Throwable cause) {
        for (ShardPeer peer : peers) {
            for (Consumer consumer : peer.consumers()) {
                consumer.cancelled(ErrorKind.UNAVAILABLE, String.valueOf(cause.getMessage()));
                consumer.close();
            }
        }
        onFailure.onFailure(cause);
    }
}
