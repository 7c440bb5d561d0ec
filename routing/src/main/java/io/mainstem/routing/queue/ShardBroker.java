package io.mainstem.routing.queue;

import io.mainstem.routing.Broker;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ClientInfo;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.access.AccessPolicy;
import io.mainstem.routing.access.Permissions;
import io.mainstem.routing.topology.VirtualHosts;
import io.mainstem.store.ShardStore;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * A broker on one shard. Thread: any.
 *
 * <p>Owns the store from {@link #open} on: closing the broker closes it.
 */
public final class ShardBroker implements Broker, AutoCloseable {
    private final Shard shard;
    private final ShardSettings settings;
    private final String version;

    private final Supplier<AccessPolicy> access;
    private final VirtualHostRequests virtualHosts;

    private ShardBroker(Shard shard, ShardSettings settings, String version, Supplier<AccessPolicy> access) {
        this.shard = shard;
        this.settings = settings;
        this.version = version;
        this.access = access;
        this.virtualHosts = new VirtualHostRequests(shard, shard.store());
    }

    /** As below, for a broker on which everybody may do everything. */
    public static ShardBroker open(
            ShardStore store, ShardSettings settings, InstantSource clock, String version, FailureListener onFailure) {
        return open(store, settings, clock, version, onFailure, () -> AccessPolicy.OPEN);
    }

    /**
     * Rebuilds queues from the store's metadata and lanes, and starts the shard's thread.
     *
     * @param store recovered, not attached yet
     * @param clock read once per iteration of the shard, for expiry and dead-letter history
     * @param version of the product, told to clients
     * @param onFailure the log or the shard has failed: the process has to end
     * @param access who may do what, at any moment
     * @throws io.mainstem.store.StoreException if the metadata cannot be understood
     */
    public static ShardBroker open(
            ShardStore store,
            ShardSettings settings,
            InstantSource clock,
            String version,
            FailureListener onFailure,
            Supplier<AccessPolicy> access) {
        Shard shard = new Shard(store, settings, clock, access, onFailure);
        shard.start();
        return new ShardBroker(shard, settings, version, access);
    }

    @Override
    public BrokerSession connect(ClientInfo client, Executor eventLoop) {
        return connect(client, eventLoop, access);
    }

    @Override
    public BrokerSession connectTrusted(ClientInfo client, Executor eventLoop) {
        return connect(client, eventLoop, () -> AccessPolicy.BROKER);
    }

    private BrokerSession connect(ClientInfo client, Executor eventLoop, Supplier<AccessPolicy> policy) {
        Router router = shard.queues().router(client.virtualHost());
        if (router == null) {
            throw new BrokerException(
                    ErrorKind.NOT_FOUND,
                    "MS-0330",
                    "no virtual host '" + client.virtualHost() + "'.",
                    "connect to '/', the default one, or make it: `mainstem vhost create NAME`.");
        }
        return new ShardSession(
                shard, router, client, new Permissions(policy, client), eventLoop, settings.sessionInFlightBytesMax());
    }

    @Override
    public CompletionStage<Boolean> makeVirtualHost(String name, Executor eventLoop) {
        return virtualHosts.make(name).thenApplyAsync(made -> made, eventLoop);
    }

    @Override
    public List<String> virtualHosts() {
        return virtualHosts.names();
    }

    @Override
    public long messagesDropped() {
        return shard.transients().lost();
    }

    @Override
    public long messagesUnmappable() {
        return shard.queues().topology(VirtualHosts.DEFAULT).unmappable();
    }

    @Override
    public String version() {
        return version;
    }

    /**
     * Stops cleanly: sessions end, what is under way becomes durable and is answered, the store writes its final
     * checkpoint and is closed. Waits for all that. Idempotent.
     */
    @Override
    public void close() {
        shard.stop(Shard.Ending.CLOSE);
    }

    /** Leaves as a crash would: nothing more is written or answered. For tests and for a second stop signal. */
    public void abandon() {
        shard.stop(Shard.Ending.ABANDON);
    }

    /** Bytes in use of the budget for reading ahead. For tests. */
    CompletionStage<Long> readAheadBytes() {
        CompletableFuture<Long> bytes = new CompletableFuture<>();
        shard.post(() -> bytes.complete(shard.reads().bytes()));
        return bytes;
    }

    /** How often queues that waited for others' reads to end were looked at. For tests. */
    CompletionStage<Long> readTurnsGiven() {
        CompletableFuture<Long> turns = new CompletableFuture<>();
        shard.post(() -> turns.complete(shard.reads().turnsGiven()));
        return turns;
    }

    /** Heap of all non-durable messages. For tests. */
    CompletionStage<Long> transientBytes() {
        CompletableFuture<Long> bytes = new CompletableFuture<>();
        shard.post(() -> bytes.complete(shard.transients().residentBytes()));
        return bytes;
    }

    /** Objects that stand for a queue's non-durable messages. For tests. */
    CompletionStage<Integer> transientChunks(String queue) {
        CompletableFuture<Integer> chunks = new CompletableFuture<>();
        shard.post(() -> {
            MessageQueue found = shard.queues().visible(shard.queues().topology("/"), queue);
            chunks.complete(found == null ? 0 : shard.transients().chunks(found));
        });
        return chunks;
    }

    /** Replaced messages of a last-value queue that are remembered because their record may be under way. For tests. */
    CompletionStage<Integer> leavingValues(String queue) {
        CompletableFuture<Integer> leaving = new CompletableFuture<>();
        shard.post(() -> {
            MessageQueue found = shard.queues().visible(shard.queues().topology("/"), queue);
            LastValues values = found == null ? null : found.lastValues();
            leaving.complete(values == null ? 0 : values.leaving.count());
        });
        return leaving;
    }

    /** Messages a queue of the default virtual host had no room for. For tests. */
    CompletionStage<Long> droppedMessages(String queue) {
        CompletableFuture<Long> dropped = new CompletableFuture<>();
        shard.post(() -> {
            MessageQueue found = shard.queues().visible(shard.queues().topology("/"), queue);
            Transients transients = found == null ? null : found.transients();
            dropped.complete(transients == null ? 0 : transients.lost);
        });
        return dropped;
    }

    /** Messages of which the log keeps annotations that consumers have added. For tests. */
    CompletionStage<Integer> annotated() {
        CompletableFuture<Integer> known = new CompletableFuture<>();
        shard.post(() -> known.complete(shard.annotated().recorded()));
        return known;
    }

    /** Messages that were given up and wait to be read. For tests. */
    CompletionStage<Integer> deadLettersWaiting() {
        CompletableFuture<Integer> waiting = new CompletableFuture<>();
        shard.post(() -> waiting.complete(shard.deadLetters().waiting()));
        return waiting;
    }

    /** Producers and names that were published by and are remembered. For tests. */
    CompletionStage<Integer> publishedIds() {
        CompletableFuture<Integer> known = new CompletableFuture<>();
        shard.post(() -> known.complete(shard.publishedIds().size()));
        return known;
    }

    /** Sessions that wait for queues at their limit. For tests. */
    CompletionStage<Integer> heldBack() {
        CompletableFuture<Integer> heldBack = new CompletableFuture<>();
        shard.post(() -> heldBack.complete(shard.limits().heldBack()));
        return heldBack;
    }

    /** Bytes in use of the budget for transactions. For tests. */
    long transactionBytes() {
        return shard.transactionBudget().bytes();
    }

    /** How often a message was tried against the selector of a queue's consumer or browser so far. */
    public CompletionStage<Long> selectorTests() {
        CompletableFuture<Long> tests = new CompletableFuture<>();
        shard.post(() -> tests.complete(shard.dispatcher().selectorTests()));
        return tests;
    }

    /** Makes the shard look at the time: for tests that move its clock. */
    public void wake() {
        shard.post(() -> {});
    }
}
