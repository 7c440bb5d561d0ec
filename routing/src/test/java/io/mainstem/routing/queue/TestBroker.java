package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.access.AccessPolicy;
import io.mainstem.store.ShardStore;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreUpkeep;
import io.mainstem.store.files.SimDisk;
import io.mainstem.store.shard.LocalShardStore;
import io.mainstem.store.shard.StoreStateCheck;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/**
 * A broker with a clock that only the test moves, which can crash and come back. Whenever it stops cleanly, its older
 * checkpoint and the log behind it must lead to the state it had.
 */
final class TestBroker implements AutoCloseable {
    static final long START_MS = 1_000_000;

    private static final int KIB = 1024;
    private static final int MIB = 1024 * KIB;

    private final AtomicLong nowMs = new AtomicLong(START_MS);
    private final ShardSettings settings;
    private final long segmentBytes;
    private final CompletableFuture<Throwable> failure = new CompletableFuture<>();
    private final List<TestClient> clients = new ArrayList<>();
    private final FaultyFiles files;
    private final Path directory;
    private volatile AccessPolicy access = AccessPolicy.OPEN;
    private ShardBroker broker;
    private ShardStore store;

    TestBroker() {
        this(ShardSettings.forHeap(1 << 30));
    }

    TestBroker(ShardSettings settings) {
        this(settings, 4 * MIB);
    }

    TestBroker(ShardSettings settings, long segmentBytes) {
        this(settings, segmentBytes, new FaultyFiles());
    }

    private TestBroker(ShardSettings settings, long segmentBytes, FaultyFiles files) {
        this.settings = settings;
        this.files = files;
        this.segmentBytes = segmentBytes;
        try {
            this.directory = Files.createTempDirectory("mainstem-shard-test");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        this.store = openStore();
        this.broker = open();
    }

    /** With its log in memory, on a disk that forgets nothing: for tests that begin many brokers. */
    static TestBroker onSimulatedDisk(ShardSettings settings) {
        return new TestBroker(settings, MIB, new FaultyFiles(new SimDisk()));
    }

    private ShardStore openStore() {
        // Small enough that segments roll, checkpoints are taken and blocks leave memory within a test.
        StoreConfig config = new StoreConfig(
                directory.resolve("store"),
                segmentBytes,
                64 * KIB,
                512,
                2,
                16 * MIB,
                64 * KIB,
                1000,
                MIB,
                2,
                1000,
                StoreUpkeep.defaults());
        return StoreStateCheck.comparedAtClose(LocalShardStore.open(config, files, this::now), config, files);
    }

    private ShardBroker open() {
        return ShardBroker.open(store, settings, this::now, "test", failure::complete, () -> access);
    }

    /** From now on. */
    void access(AccessPolicy policy) {
        access = policy;
    }

    private Instant now() {
        return Instant.ofEpochMilli(nowMs.get());
    }

    ShardBroker broker() {
        return broker;
    }

    /** The disk it works on. */
    FaultyFiles files() {
        return files;
    }

    /** Everything up to here is in the log. */
    long syncedLsn() {
        return store.syncedLsn();
    }

    /** Bytes that open transactions take. */
    long transactionBytes() {
        return broker.transactionBytes();
    }

    /** Heap of non-durable messages. */
    long transientBytes() {
        return TestClient.get(broker.transientBytes());
    }

    /** Objects that stand for a queue's non-durable messages. */
    int transientChunks(String queue) {
        return TestClient.get(broker.transientChunks(queue));
    }

    /** Replaced messages of a last-value queue that are remembered. */
    int leavingValues(String queue) {
        return TestClient.get(broker.leavingValues(queue));
    }

    /** Lets time pass, that much each time, until a file of the log has been compacted. */
    void awaitCompaction(long stepMs) {
        await(() -> {
            advanceMs(stepMs);
            return compactedFiles() > 0;
        });
    }

    private long compactedFiles() {
        try (Stream<Path> files = Files.list(directory.resolve("store").resolve("log"))) {
            return files.filter(file -> file.toString().contains(".g0")).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Disk space of non-durable messages. */
    long spoolBytes() {
        return store.spool().usedBytes();
    }

    /** A bit in the middle of the spool, at the begin of a page, is not what it was. */
    void damageSpool() {
        Path file = directory.resolve("store").resolve("spool").resolve("00000000.spool");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            long at = channel.size() / 2 / 4096 * 4096;
            ByteBuffer bytes = ByteBuffer.allocate(1);
            channel.read(bytes, at);
            bytes.put(0, (byte) (bytes.get(0) ^ 1));
            channel.write(bytes.rewind(), at);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until nothing is written to the spool any more, nor about to be. */
    void awaitSpoolAtRest(TestClient client) {
        long before;
        do {
            before = spoolBytes();
            client.sync();
            CompletableFuture<Boolean> turn = new CompletableFuture<>();
            store.spool().write(out -> {}, (block, problem) -> {
                if (block != null) {
                    store.spool().free(List.of(block));
                }
                turn.complete(true);
            });
            TestClient.get(turn);
            client.sync();
        } while (spoolBytes() != before);
    }

    /** Waits until the spool's thread has got so far. */
    void awaitSpoolBytes(long bytesMax) {
        await(() -> spoolBytes() <= bytesMax);
    }

    /** Waits until no more than that is in memory. */
    void awaitTransientBytes(long bytesMax) {
        await(() -> transientBytes() <= bytesMax);
    }

    /** Waits until the log takes nothing more for now, as a session sees that has nothing on its way. */
    void awaitHeldByLog(TestClient idle) {
        await(() -> !idle.onLoop(() -> idle.session().writable()));
    }

    static void await(BooleanSupplier condition) {
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("a minute is over").isLessThan(endNanos);
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** Messages a queue was too full for, of publishers nobody holds back. */
    long dropped(String queue) {
        return TestClient.get(broker.droppedMessages(queue));
    }

    /** Messages that were given up and wait to be read. */
    int deadLettersWaiting() {
        return TestClient.get(broker.deadLettersWaiting());
    }

    /** Waits until all of these have gone where they go. */
    void awaitDeadLetters() {
        await(() -> deadLettersWaiting() == 0);
    }

    /** Producers and names that are remembered. */
    int publishedIds() {
        return TestClient.get(broker.publishedIds());
    }

    /** Sessions that wait for queues at their limit. */
    int heldBack() {
        return TestClient.get(broker.heldBack());
    }

    TestClient client(String user) {
        TestClient client = new TestClient(broker, "client", user);
        clients.add(client);
        return client;
    }

    TestClient client() {
        TestClient client = new TestClient(broker);
        clients.add(client);
        return client;
    }

    void advanceMs(long millis) {
        nowMs.addAndGet(millis);
        broker.wake();
    }

    /** Time passes, and the shard sees it with the next thing it is asked. */
    void passMs(long millis) {
        nowMs.addAndGet(millis);
    }

    long nowMs() {
        return nowMs.get();
    }

    /** Crashes and starts again; clients have to connect anew. */
    void crash() {
        broker.abandon();
        reopen();
    }

    /** Stops cleanly and starts again. */
    void restart() {
        stop();
        reopen();
    }

    private void stop() {
        broker.close();
        if (failure.isDone() && failure.join() instanceof AssertionError difference) {
            throw difference;
        }
    }

    private void reopen() {
        clients.clear();
        store = openStore();
        broker = open();
    }

    Throwable awaitFailure() {
        return TestClient.get(failure);
    }

    @Override
    public void close() {
        stop();
        try (Stream<Path> left = Files.walk(directory)) {
            for (Path path : left.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
