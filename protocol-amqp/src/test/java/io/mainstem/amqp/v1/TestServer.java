package io.mainstem.amqp.v1;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ClientInfo;
import io.mainstem.routing.ExchangeSpec;
import io.mainstem.routing.ExchangeType;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.QueueStatus;
import io.mainstem.routing.access.AccessPolicy;
import io.mainstem.routing.queue.ShardBroker;
import io.mainstem.routing.queue.ShardSettings;
import io.mainstem.store.ShardStore;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreState;
import io.mainstem.store.StoreUpkeep;
import io.mainstem.store.files.NioFiles;
import io.mainstem.store.files.StoreFiles;
import io.mainstem.store.shard.LocalShardStore;
import io.mainstem.store.shard.StoreStateCheck;
import io.mainstem.transport.Connections;
import io.mainstem.transport.EventLoops;
import io.mainstem.transport.InputBudget;
import io.mainstem.transport.Listener;
import io.mainstem.transport.ListenerConfig;
import io.mainstem.transport.security.Authenticator;
import io.mainstem.transport.security.UserAuthenticator;
import io.mainstem.transport.websocket.Origins;
import io.mainstem.transport.websocket.WebSocketProtocol;
import io.mainstem.transport.websocket.WebSocketSocket;
import io.netty.channel.local.LocalAddress;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The head on a real broker, store and socket; port and folder are its own. */
final class TestServer implements AutoCloseable {
    private static final int MIB = 1 << 20;
    private static final InputBudget BUFFERS = InputBudget.ofBuffers(MIB);
    private static final Duration GRACE = Duration.ofMillis(500);
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final Duration POLL = Duration.ofMillis(20);

    private final ShardStore store;
    private final ShardBroker broker;
    private final EventLoops loops;
    private final AmqpProtocol amqp;
    private final Listener listener;
    private final Listener webListener;
    private final CompletableFuture<Throwable> failure = new CompletableFuture<>();
    private volatile AccessPolicy access = AccessPolicy.OPEN;

    TestServer(Path folder) throws IOException {
        this(folder, AmqpLimits.DEFAULT);
    }

    TestServer(Path folder, AmqpLimits limits) throws IOException {
        this(folder, limits, UserAuthenticator.withoutUsers());
    }

    TestServer(Path folder, AmqpLimits limits, Authenticator authenticator) throws IOException {
        this(config(folder), new NioFiles(), limits, authenticator, InstantSource.system(), BUFFERS);
    }

    private static StoreConfig config(Path folder) {
        return new StoreConfig(
                folder, 8 * MIB, MIB, 0, 1, 64 * MIB, 64 * MIB, 60_000, 0, 1, 1000, StoreUpkeep.defaults());
    }

    /** As {@link #TestServer(Path)}, on a clock that a test sets. */
    TestServer(Path folder, InstantSource clock) throws IOException {
        this(config(folder), new NioFiles(), AmqpLimits.DEFAULT, UserAuthenticator.withoutUsers(), clock, BUFFERS);
    }

    /** As {@link #TestServer(Path, AmqpLimits)}, with so much room for frames that are not complete. */
    TestServer(Path folder, AmqpLimits limits, InputBudget input) throws IOException {
        this(config(folder), new NioFiles(), limits, UserAuthenticator.withoutUsers(), InstantSource.system(), input);
    }

    TestServer(StoreConfig config, StoreFiles files, AmqpLimits limits) throws IOException {
        this(config, files, limits, UserAuthenticator.withoutUsers(), InstantSource.system(), BUFFERS);
    }

    private TestServer(
            StoreConfig config,
            StoreFiles files,
            AmqpLimits limits,
            Authenticator authenticator,
            InstantSource clock,
            InputBudget input)
            throws IOException {
        LocalShardStore local = LocalShardStore.open(config, files, clock);
        store = StoreStateCheck.comparedAtClose(local, config, files);
        broker = ShardBroker.open(
                store, ShardSettings.forHeap(512 * MIB), clock, "test", failure::complete, () -> access);
        loops = EventLoops.open(1);
        ListenerConfig where = ListenerConfig.of("amqp", "127.0.0.1", 0);
        amqp = new AmqpProtocol(broker, limits, AmqpOptions.DEFAULT, authenticator, clock, input);
        WebSocketProtocol webSocket = new WebSocketProtocol(Map.of("amqp", amqp), new Origins(Set.of()));
        listener = Listener.open(where, List.of(amqp), loops);
        webListener = Listener.open(where, List.of(webSocket), loops);
    }

    /** The same head for peers in this JVM; to be closed by the caller, before this. */
    Listener openLocal(LocalAddress address) throws IOException {
        return Listener.openLocal(ListenerConfig.of("amqp", "127.0.0.1", 0), address, List.of(amqp));
    }

    InetSocketAddress address() {
        return listener.address();
    }

    /** From now on. */
    void access(AccessPolicy policy) {
        access = policy;
    }

    /** Whether the log takes everything. */
    StoreState storeState() {
        return store.state();
    }

    /** As operators see them. */
    List<Connections.Info> connectionList() {
        return amqp.connections().list(0, Integer.MAX_VALUE);
    }

    int connections() {
        return listener.connections() + webListener.connections();
    }

    /** Waits until there is no queue of this name. */
    void awaitGone(String queue) {
        awaitNoQueue(queue);
    }

    /** Waits until there is no queue with a name like that. */
    void awaitNoQueue(String prefix) {
        await(() -> queues(prefix).isEmpty(), () -> "queues left: " + queues(prefix));
    }

    /** Waits until so many connections are open. */
    void awaitConnections(int count) {
        await(() -> connections() == count, () -> connections() + " connections are open");
    }

    private static void await(BooleanSupplier done, Supplier<String> otherwise) {
        Duration waited = Duration.ZERO;
        while (!done.getAsBoolean()) {
            if (waited.compareTo(PATIENCE) > 0) {
                throw new AssertionError(otherwise.get() + " after " + waited);
            }
            LockSupport.parkNanos(POLL.toNanos());
            waited = waited.plus(POLL);
        }
    }

    /** Names of queues that begin so. */
    List<String> queues(String prefix) {
        return inside().topology().queues("", Integer.MAX_VALUE).stream()
                .map(queue -> queue.spec().name())
                .filter(name -> name.startsWith(prefix))
                .toList();
    }

    /** Declares a durable queue as an operator would. */
    void declareQueue(String name, Map<String, Object> arguments) {
        BrokerSession session = inside();
        session.declareQueue(new QueueSpec(name, true, false, false, false, arguments));
        session.flush();
        await(() -> queues(name).size() == 1, () -> "no queue " + name);
    }

    /** Waits until so many messages of the queue are on their way to consumers. */
    void awaitUnsettled(String queue, long count) {
        BrokerSession session = inside();
        await(
                () -> {
                    CompletableFuture<List<QueueStatus>> asked =
                            session.status(List.of(queue)).toCompletableFuture();
                    session.flush();
                    return asked.join().get(0).unacknowledged() == count;
                },
                () -> "not " + count + " messages of " + queue + " are unsettled");
    }

    /** Makes or deletes a direct exchange as an operator would. */
    void exchange(String name, boolean there) {
        BrokerSession session = inside();
        if (there) {
            session.declareExchange(new ExchangeSpec(name, ExchangeType.DIRECT, true, false, false, Map.of()));
        } else {
            session.deleteExchange(name, false);
        }
        session.flush();
        await(() -> session.exchangeExists(name) == there, () -> "exchange " + name + ": " + !there);
    }

    /** Makes a durable subscription to a topic as this user's client would. */
    void declareSubscription(String user, String queue, String topic) {
        BrokerSession session = broker.connect(new ClientInfo("/", "app", user, "test", "test"), Runnable::run);
        session.declareSubscription(
                new QueueSpec(queue, true, false, false, true, Map.of()).ownedBy(user),
                new BindingSpec("amq.topic", queue, true, topic, Map.of()));
        session.flush();
        await(() -> queues(queue).size() == 1, () -> "no queue " + queue);
    }

    /** Deletes a queue as an operator would. */
    void deleteQueue(String name) {
        BrokerSession session = inside();
        session.deleteQueue(name, false, false);
        session.flush();
        awaitNoQueue(name);
    }

    /** A session of the broker, without a connection. */
    BrokerSession inside() {
        return broker.connect(new ClientInfo("/", "test", null, "test", "test"), Runnable::run);
    }

    /** A peer that comes by itself, or in a WebSocket. */
    ScriptedPeer peer(boolean webSocket) throws IOException {
        return peer(webSocket, 0);
    }

    /** As above, whose socket takes little more than so many bytes that are not read. */
    ScriptedPeer peer(boolean webSocket, int receiveBytes) throws IOException {
        if (webSocket) {
            return new ScriptedPeer(new WebSocketSocket(webListener.address(), "amqp", receiveBytes));
        }
        Socket socket = new Socket();
        if (receiveBytes > 0) {
            socket.setReceiveBufferSize(receiveBytes);
        }
        socket.connect(address());
        return new ScriptedPeer(socket);
    }

    /** A peer whose connection is open already. */
    ScriptedPeer open(String containerId) throws IOException {
        ScriptedPeer peer = new ScriptedPeer(address());
        peer.open(containerId);
        return peer;
    }

    /** Ends as kill -9 would. */
    void crash() {
        broker.abandon();
        listener.close();
        webListener.close();
        loops.close();
    }

    @Override
    public void close() {
        listener.close(GRACE);
        webListener.close(GRACE);
        broker.close();
        loops.close();
        if (failure.isDone()) {
            throw new AssertionError("the broker failed", failure.join());
        }
    }
}
