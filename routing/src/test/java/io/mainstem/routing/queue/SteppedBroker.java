package io.mainstem.routing.queue;

import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ClientInfo;
import io.mainstem.routing.access.AccessPolicy;
import io.mainstem.routing.access.Permissions;
import io.mainstem.store.StoreState;
import io.mainstem.store.files.SimDisk;
import io.mainstem.store.shard.SteppedStore;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A broker without threads on a simulated disk: shard, log, readers, background work and event loop do a step when the test
 * says so. What the disk throws comes out of the step that did it.
 */
final class SteppedBroker {
    private static final int ROUNDS_MAX = 20_000;
    private static final long SESSION_BYTES_MAX = 64 << 10;
    /** Little memory, so that most of what is delivered late comes from the log. */
    private static final ShardSettings SETTINGS =
            new ShardSettings(16 << 10, 8 << 10, 1 << 20, 1 << 20, 0, SESSION_BYTES_MAX, 8);

    private final Deque<Handed> loop = new ArrayDeque<>();
    private final Clock clock;
    private final SteppedStore store;
    private final Shard shard;
    private final boolean shortTurns;
    private Part at = Part.OPENING;
    private long handedMs;
    private @Nullable Throwable failure;

    SteppedBroker(SimDisk disk, Clock clock) {
        this(disk, clock, 2048);
    }

    /** @param stepsPerTurn few, and what else is done at once goes on from iteration to iteration */
    SteppedBroker(SimDisk disk, Clock clock, int stepsPerTurn) {
        this(new SteppedStore(disk, clock), clock, SETTINGS, stepsPerTurn);
    }

    private SteppedBroker(SteppedStore store, Clock clock, ShardSettings settings, int stepsPerTurn) {
        this.clock = clock;
        this.shortTurns = stepsPerTurn < 256;
        this.store = store;
        this.shard = new Shard(
                store.store(), settings, clock, () -> AccessPolicy.OPEN, cause -> failure = cause, stepsPerTurn);
        shard.recover();
    }

    /** With room for transactions of thousands of messages. */
    static SteppedBroker roomy() {
        Clock clock = new Clock();
        ShardSettings settings = new ShardSettings(8 << 20, 8 << 20, 1 << 20, 1 << 20, 0, 1 << 20, 8);
        return new SteppedBroker(SteppedStore.roomy(new SimDisk(), clock), clock, settings, 2048);
    }

    /** What does a step. */
    enum Part {
        OPENING,
        SHARD,
        LOG,
        READ,
        BACKGROUND,
        EVENT_LOOP,
        CLOSING
    }

    /** A task of the event loop, and when the shard handed it over. */
    private record Handed(Runnable task, long atMs) {}

    /** Time that only the test moves; it outlives the broker. */
    static final class Clock implements InstantSource {
        private long nowMs = 1_700_000_000_000L;

        void advance(long millis) {
            nowMs += millis;
        }

        @Override
        public long millis() {
            return nowMs;
        }

        @Override
        public Instant instant() {
            return Instant.ofEpochMilli(nowMs);
        }
    }

    /** What was asked of the shard may come behind what others ask later. */
    boolean worksInShortTurns() {
        return shortTurns;
    }

    SteppedStore store() {
        return store;
    }

    /** The part that did the last step. */
    Part at() {
        return at;
    }

    /** When the shard handed over what the event loop does now, epoch ms. */
    long handedMs() {
        return handedMs;
    }

    boolean failed() {
        return failure != null || store.store().state() == StoreState.FAILED;
    }

    /** Why it has failed, as far as the shard knows. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    BrokerSession connect(String name) {
        ClientInfo client = new ClientInfo("/", name, null, "127.0.0.1:1", "test");
        Router router = Objects.requireNonNull(shard.queues().router("/"));
        return new ShardSession(
                shard,
                router,
                client,
                new Permissions(() -> AccessPolicy.OPEN, client),
                task -> loop.add(new Handed(task, clock.millis())),
                SESSION_BYTES_MAX);
    }

    /** One step of some part. */
    void step(SplittableRandom random) {
        switch (random.nextInt(10)) {
            case 0, 1, 2 -> iterate();
            case 3, 4, 5 -> {
                at = Part.LOG;
                store.stepLog(random);
            }
            case 6 -> {
                at = Part.READ;
                store.stepRead();
            }
            case 7 -> {
                at = Part.BACKGROUND;
                store.stepBackground();
            }
            default -> runLoop();
        }
    }

    /** One iteration of the shard; then the event loop sees what it has handed over. */
    void turn() {
        iterate();
        while (runLoop()) {
            // the rest
        }
    }

    private boolean iterate() {
        at = Part.SHARD;
        return shard.iterate();
    }

    private boolean runLoop() {
        at = Part.EVENT_LOOP;
        Handed next = loop.poll();
        if (next != null) {
            handedMs = next.atMs;
            next.task.run();
        }
        return next != null;
    }

    /** Until nothing moves any more at this time of day. */
    void settle() {
        int quiet = 0;
        for (int round = 0; quiet < 2; round++) {
            if (round == ROUNDS_MAX) {
                throw new AssertionError("comes to no rest");
            }
            boolean more = iterate();
            at = Part.LOG;
            more |= store.settleLog();
            at = Part.READ;
            more |= store.stepRead();
            at = Part.BACKGROUND;
            more |= store.stepBackground();
            more |= runLoop();
            quiet = more ? 0 : quiet + 1;
        }
    }

    /** Asks something and lets the broker work until it is answered; null if the broker fails before that. */
    <T> @Nullable T ask(BrokerSession session, Function<BrokerSession, CompletionStage<T>> request) {
        var answer = request.apply(session).toCompletableFuture();
        session.flush();
        settle();
        return answer.isDone() && !answer.isCompletedExceptionally() ? answer.join() : null;
    }

    /** Stops in order; what goes wrong is in {@link #failure}. */
    void close() {
        at = Part.CLOSING;
        shard.stop(Shard.Ending.CLOSE);
        shard.loop();
    }

    /** Leaves without another write. */
    void abandon() {
        store.store().abandon();
    }
}
