package io.mainstem.mqtt;

import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ClientInfo;
import io.mainstem.routing.ConsumerHandle;
import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.DeliverySink;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.access.AccessPolicy;
import io.mainstem.routing.message.Message;
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
import io.mainstem.transport.ListenerException;
import io.mainstem.transport.security.Authenticator;
import io.mainstem.transport.security.UserAuthenticator;
import io.mainstem.transport.tls.TlsContext;
import io.mainstem.transport.tls.TlsProtocol;
import io.mainstem.transport.websocket.Origins;
import io.mainstem.transport.websocket.WebSocketProtocol;
import io.mainstem.transport.websocket.WebSocketSocket;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/** The head on a real broker, store and socket; port and folder are its own. */
final class TestServer implements AutoCloseable {
    private static final int MIB = 1 << 20;
    private static final ClientInfo TEST = new ClientInfo("/", "test", null, "test", "test");
    private static final Duration GRACE = Duration.ofMillis(500);

    private final ShardStore store;
    private final ShardBroker broker;
    private final EventLoops loops;
    private final MqttProtocol protocol;
    private final Listener listener;
    private final CompletableFuture<Throwable> failure = new CompletableFuture<>();

    /**
     * What may differ from one test to another.
     *
     * @param access who may do what, at any moment
     * @param authenticator who comes in; everybody under any name, unless a test says otherwise
     * @param shard what the broker may take
     * @param clock what broker and head read
     * @param input what clients may have under way
     */
    record Setup(
            MqttLimits limits,
            MqttOptions options,
            Supplier<AccessPolicy> access,
            Authenticator authenticator,
            ShardSettings shard,
            InstantSource clock,
            InputBudget input) {
        static final Setup DEFAULT = new Setup(
                MqttLimits.DEFAULT,
                MqttOptions.DEFAULT,
                () -> AccessPolicy.OPEN,
                UserAuthenticator.withoutUsers(),
                ShardSettings.forHeap(512 * MIB),
                InstantSource.system(),
                InputBudget.ofBuffers(MIB));

        Setup with(MqttLimits its) {
            return new Setup(its, options, access, authenticator, shard, clock, input);
        }

        Setup with(MqttOptions its) {
            return new Setup(limits, its, access, authenticator, shard, clock, input);
        }

        Setup with(Supplier<AccessPolicy> its) {
            return new Setup(limits, options, its, authenticator, shard, clock, input);
        }

        Setup with(ShardSettings its) {
            return new Setup(limits, options, access, authenticator, its, clock, input);
        }

        Setup with(InstantSource its) {
            return new Setup(limits, options, access, authenticator, shard, its, input);
        }

        Setup with(InputBudget its) {
            return new Setup(limits, options, access, authenticator, shard, clock, its);
        }

        Setup with(Authenticator its) {
            return new Setup(limits, options, access, its, shard, clock, input);
        }
    }

    /** A time of day that only the test moves. */
    static final class Clock implements InstantSource {
        private volatile Instant now = Instant.ofEpochSecond(1_700_000_000);

        void advance(Duration by) {
            now = now.plus(by);
        }

        @Override
        public Instant instant() {
            return now;
        }
    }

    TestServer(Path folder) throws IOException {
        this(folder, Setup.DEFAULT);
    }

    TestServer(Path folder, MqttLimits limits) throws IOException {
        this(folder, Setup.DEFAULT.with(limits));
    }

    TestServer(Path folder, Setup setup) throws IOException {
        this(
                new StoreConfig(
                        folder, 8 * MIB, MIB, 0, 1, 64 * MIB, 64 * MIB, 60_000, 0, 1, 1000, StoreUpkeep.defaults()),
                new NioFiles(),
                setup);
    }

    TestServer(StoreConfig config, StoreFiles files, Setup setup) throws IOException {
        LocalShardStore local = LocalShardStore.open(config, files, setup.clock());
        store = StoreStateCheck.comparedAtClose(local, config, files);
        broker = ShardBroker.open(store, setup.shard(), setup.clock(), "test", failure::complete, setup.access());
        loops = EventLoops.open(2);
        protocol = new MqttProtocol(
                broker,
                setup.limits(),
                setup.options(),
                setup.authenticator(),
                setup.clock(),
                new Connections(),
                setup.input());
        WebSocketProtocol webSocket = new WebSocketProtocol(Map.of("mqtt", protocol), new Origins(Set.of()));
        listener = Listener.open(ListenerConfig.of("mqtt", "127.0.0.1", 0), List.of(protocol, webSocket), loops);
    }

    InetSocketAddress address() {
        return listener.address();
    }

    /** A client that comes by itself, or in a WebSocket. */
    RawMqtt client(boolean webSocket, int version) throws IOException {
        return webSocket
                ? new RawMqtt(new WebSocketSocket(address(), "mqtt", 0), version)
                : new RawMqtt(address(), version);
    }

    /** A listener more, that speaks TLS; closed by the caller. */
    Listener encrypted(TlsContext context) throws ListenerException {
        TlsProtocol tls = new TlsProtocol("mqtts", context, List.of(protocol));
        return Listener.open(ListenerConfig.of("mqtts", "127.0.0.1", 0), List.of(tls), loops);
    }

    /** Whether the log takes everything. */
    StoreState storeState() {
        return store.state();
    }

    /** Names of all queues. */
    List<String> queueNames() {
        try (BrokerSession session = broker.connectTrusted(TEST, Runnable::run)) {
            return session.topology().queues("", 1000).stream()
                    .map(queue -> queue.spec().name())
                    .toList();
        }
    }

    /** Messages in a queue, delivered ones that are not acknowledged included. */
    long messagesIn(String queue) {
        return asked(session -> session.status(List.of(queue))).stream()
                .mapToLong(each -> each.ready() + each.unacknowledged())
                .sum();
    }

    /** Publishes as the head of another protocol does, and waits until it is stored. */
    void publish(Message message) {
        asked(session -> {
            CompletableFuture<Boolean> stored = new CompletableFuture<>();
            session.publish(message, 0, (tag, result) -> stored.complete(true));
            return stored;
        });
    }

    /** What a session of the broker's own answers. */
    <T> T asked(Function<BrokerSession, CompletionStage<T>> request) {
        ExecutorService own = Executors.newSingleThreadExecutor();
        CompletableFuture<T> answer = new CompletableFuture<>();
        own.execute(() -> {
            BrokerSession session = broker.connectTrusted(TEST, own);
            var unused = request.apply(session).whenComplete((found, failure) -> {
                session.close();
                if (failure == null) {
                    answer.complete(found);
                } else {
                    answer.completeExceptionally(failure);
                }
            });
            session.flush();
        });
        return answer.orTimeout(60, TimeUnit.SECONDS)
                .whenComplete((done, failure) -> own.shutdown())
                .join();
    }

    /** Takes the next message from a queue, which no consumer stands at. */
    Message taken(String queue) {
        ConsumerSpec spec = new ConsumerSpec("taker", false, false, true, 0, Outcome.RELEASED);
        return asked(session -> {
            CompletableFuture<Message> taken = new CompletableFuture<>();
            var unused = session.consume(queue, spec, new Taking(taken)).thenAccept(handle -> {
                handle.limit(1, false);
                session.flush();
            });
            return taken;
        });
    }

    /** A consumer that no other may stand beside, and that takes nothing, until it is closed. */
    Closeable exclusiveConsumer(String queue) {
        ConsumerSpec spec = new ConsumerSpec("exclusive", true, false, false, 0, Outcome.RELEASED);
        ExecutorService own = Executors.newSingleThreadExecutor();
        BrokerSession session = CompletableFuture.supplyAsync(() -> broker.connectTrusted(TEST, own), own)
                .join();
        CompletableFuture.supplyAsync(
                        () -> {
                            CompletionStage<ConsumerHandle> attached =
                                    session.consume(queue, spec, new Taking(new CompletableFuture<>()));
                            session.flush();
                            return attached;
                        },
                        own)
                .thenCompose(attached -> attached)
                .orTimeout(10, TimeUnit.SECONDS)
                .join();
        return () -> {
            CompletableFuture.runAsync(session::close, own).join();
            own.shutdown();
        };
    }

    /** Shows the first delivery. */
    private record Taking(CompletableFuture<Message> taken) implements DeliverySink {
        @Override
        public void onDeliveries(List<Delivery> deliveries) {
            taken.complete(deliveries.get(0).message());
        }

        @Override
        public void onDrained(long limit) {}

        @Override
        public void onCancelled(ErrorKind why, String text) {}
    }

    int connections() {
        return listener.connections();
    }

    /** Ends as kill -9 would. */
    void crash() {
        broker.abandon();
        listener.close();
        protocol.close();
        loops.close();
    }

    @Override
    public void close() {
        listener.close(GRACE);
        protocol.close();
        broker.close();
        loops.close();
        if (failure.isDone()) {
            throw new AssertionError("the broker failed", failure.join());
        }
    }
}
