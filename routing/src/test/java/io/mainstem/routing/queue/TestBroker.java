package io.mainstem.routing.queue;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;

/** A broker with a clock that only the test moves, which can crash and come back. */
final class TestBroker implements AutoCloseable {
    static final long START_MS = 1_000_000;

    private final AtomicLong nowMs = new AtomicLong(START_MS);
    private final ShardSettings settings;
    private final CompletableFuture<Throwable> failure = new CompletableFuture<>();
    private final List<TestClient> clients = new ArrayList<>();
    private MemoryShardStore store = new MemoryShardStore();
    private ShardBroker broker;

    TestBroker() {
        this(ShardSettings.forHeap(1 << 30));
    }

    TestBroker(ShardSettings settings) {
        this.settings = settings;
        this.broker = open();
    }

    private ShardBroker open() {
        return ShardBroker.open(store, settings, () -> Instant.ofEpochMilli(nowMs.get()), "test", failure::complete);
    }

    ShardBroker broker() {
        return broker;
    }

    MemoryShardStore store() {
        return store;
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
        broker.close();
        reopen();
    }

    private void reopen() {
        clients.clear();
        store = store.reopened();
        broker = open();
    }

    Throwable awaitFailure() {
        return TestClient.get(failure);
    }

    @Override
    public void close() {
        broker.close();
    }
}
