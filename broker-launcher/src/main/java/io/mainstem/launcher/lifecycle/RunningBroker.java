package io.mainstem.launcher.lifecycle;

import io.mainstem.amqp.v1.AmqpProtocol;
import io.mainstem.jms.amqp.AmqpTransport;
import io.mainstem.jms.vm.VmBrokers;
import io.mainstem.launcher.config.BrokerConfig;
import io.mainstem.launcher.config.ListenerMode;
import io.mainstem.mqtt.MqttProtocol;
import io.mainstem.routing.queue.ShardBroker;
import io.mainstem.store.BrokerClock;
import io.mainstem.store.ShardStore;
import io.mainstem.store.StoreState;
import io.mainstem.transport.EventLoops;
import io.mainstem.transport.InputBudget;
import io.mainstem.transport.Listener;
import io.mainstem.transport.ListenerConfig;
import io.mainstem.transport.ListenerException;
import io.mainstem.transport.ProtocolFactory;
import io.netty.channel.local.LocalAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One broker of this process, from the data folder to its listeners.
 *
 * <p>Thread: any; starting and stopping block.
 */
public final class RunningBroker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RunningBroker.class);
    private static final Duration CONNECTIONS_GRACE = Duration.ofSeconds(3);

    private final BrokerConfig config;
    private final DataFolder data;
    private final Consumer<ExitCode> onFailure;
    private final InstantSource clock;
    private final ShutdownSequence shutdown = new ShutdownSequence();
    private final List<Listener> listeners = new ArrayList<>();
    private final List<Endpoint> endpoints = new ArrayList<>();
    private final ShutdownSequence crash = new ShutdownSequence();
    private @Nullable ShardBroker shard;
    private @Nullable AmqpProtocol amqpHead;
    private boolean hasUsers;

    private RunningBroker(BrokerConfig config, InstantSource clock, Consumer<ExitCode> onFailure) {
        this.clock = clock;
        this.config = config;
        this.data = new DataFolder(config.dataDirectory());
        this.onFailure = onFailure;
    }

    /**
     * Recovers the store and accepts connections; when this returns, the endpoints file is there.
     *
     * @param version of the product, told to clients
     * @param onFailure called once, on any thread and not to block, if the broker cannot go on: {@link #close} it and
     *     end the process with that code
     * @throws StartFailure with the fix, if something outside the broker is in the way; nothing is left running then
     */
    public static RunningBroker start(BrokerConfig config, String version, Consumer<ExitCode> onFailure) {
        return start(config, version, new BrokerClock(), onFailure);
    }

    /** As above, by another clock: for tests. */
    public static RunningBroker start(
            BrokerConfig config, String version, InstantSource clock, Consumer<ExitCode> onFailure) {
        RunningBroker running = new RunningBroker(config, clock, onFailure);
        try {
            running.open(version);
            running.logStart(version);
            return running;
        } catch (RuntimeException e) {
            running.shutdown.run();
            throw e;
        }
    }

    /** The clock it was started with has been moved: what is due shall be looked at now. */
    public void clockMoved() {
        ShardBroker started = shard;
        if (started != null) {
            started.wake();
        }
    }

    /**
     * Lets clients of this JVM in without a socket, as {@code vm://name}, until this broker stops.
     *
     * @throws IllegalArgumentException if another broker of this JVM has the name
     */
    public void openLocal(String name) {
        AmqpProtocol head = amqpHead;
        if (head == null) {
            throw new IllegalStateException("the broker is not started");
        }
        LocalAddress address = new LocalAddress("mainstem-" + UUID.randomUUID());
        Listener listener;
        try {
            listener = Listener.openLocal(config.amqpListener(), address, List.of(head));
        } catch (ListenerException e) {
            throw new StartFailure(ExitCode.IN_USE, e);
        }
        listeners.add(listener);
        shutdown.add("accepting in this JVM", listener::stopAccepting);
        VmBrokers.Registration registration = VmBrokers.register(name, AmqpTransport.within(address));
        shutdown.add("vm name", registration::close);
        crash.add("vm name", registration::close);
    }

    /** What is accepted where; unmodifiable. */
    public List<Endpoint> endpoints() {
        return List.copyOf(endpoints);
    }

    /** True if there were users at the start, so that peers have to say who they are. */
    public boolean hasUsers() {
        return hasUsers;
    }

    /** The folder in use. */
    public DataFolder data() {
        return data;
    }

    /**
     * Stops cleanly: nothing new is accepted, what is under way is made durable and confirmed, a checkpoint is written,
     * then connections are closed. Idempotent.
     */
    @Override
    public void close() {
        shutdown.run();
    }

    /**
     * Ends as kill -9 would: nothing more is written, synced or answered, and the endpoints file stays. For tests.
     * {@link #close} does nothing afterwards.
     */
    public void crash() {
        shutdown.forget();
        crash.run();
    }

    // The order of the steps below is that of a stop read backwards: connections outlive the broker, so that the last
    // confirms still reach their clients.
    private void open(String version) {
        shutdown.add("the last line", () -> {
            if (!endpoints.isEmpty()) {
                LOG.info("stopped data={}", data.path());
            }
        });
        data.prepare();
        BrokerAccess access = BrokerAccess.open(config.security(), data.path());
        hasUsers = access.hasUsers();
        shutdown.add("access", access::close);
        crash.add("access", access::close);
        Doors doors = Doors.open(config.transport(), access.watch());
        InetAddress amqpAddress = address(access, config.amqpListener());
        ListenerConfig mqttListener = config.mqttListener();
        InetAddress mqttAddress = mqttListener == null ? amqpAddress : address(access, mqttListener);
        ListenerConfig amqps = config.transport().amqps();
        InetAddress amqpsAddress = amqps == null ? amqpAddress : address(access, amqps);
        ShardStore store = StoreStart.open(config.store(), clock);
        shutdown.add("store", store::close);
        SnapshotRequests.watch(access.watch(), data.path(), store);
        // Only now: without the store's lock the file may be that of another, running broker.
        data.withdraw();
        EventLoops loops = EventLoops.open(EventLoops.defaultCount());
        shutdown.add("event loops", loops::close);
        crash.add("event loops", loops::close);
        shutdown.add("connections", () -> listeners.forEach(listener -> listener.close(CONNECTIONS_GRACE)));
        crash.add("connections", () -> listeners.forEach(Listener::close));
        ShardBroker broker = StoreStart.guard(() ->
                ShardBroker.open(store, config.shard(), clock, version, cause -> failed(store, cause), access::policy));
        shard = broker;
        shutdown.add("broker", broker::close);
        crash.add("broker", broker::abandon);
        InputBudget input = InputBudget.ofBuffers(config.mqtt().packetBytesMax());
        AmqpProtocol amqp =
                new AmqpProtocol(broker, config.amqp(), config.amqpOptions(), access.authenticator(), clock, input);
        amqpHead = amqp;
        access.revokeIn(amqp.connections());
        ListenerMode amqpMode = config.transport().amqp();
        Opening opening = new Opening(loops, doors, access);
        listen(opening, config.amqpListener(), amqpAddress, amqpMode, amqp, "amqp");
        if (amqps != null) {
            ListenerMode encrypted = new ListenerMode(ListenerMode.Tls.REQUIRED, amqpMode.webSocket());
            listen(opening, amqps, amqpsAddress, encrypted, amqp, "amqp");
        }
        MqttProtocol mqtt = StoreStart.guard(() -> new MqttProtocol(
                broker, config.mqtt(), config.mqttOptions(), access.authenticator(), clock, amqp.connections(), input));
        shutdown.add("MQTT sessions", mqtt::close);
        crash.add("MQTT sessions", mqtt::close);
        // Sessions that are kept, their wills and what they have subscribed to live on without a listener.
        if (mqttListener != null) {
            listen(opening, mqttListener, mqttAddress, config.transport().mqtt(), mqtt, "mqtt", "mqttv3.1");
        }
        data.publish(endpoints);
        shutdown.add("endpoints file", data::withdraw);
    }

    private void logStart(String version) {
        StringBuilder where = new StringBuilder();
        endpoints.forEach(
                each -> where.append(' ').append(each.name()).append('=').append(each.authority()));
        LOG.info("started version={} data={}{}", version, data.path(), where);
        shutdown.add("first line", () -> LOG.info("stopping data={}", data.path()));
    }

    private static InetAddress address(BrokerAccess access, ListenerConfig listener) {
        return LoopbackRule.resolve(listener.name() + ".host", listener.host(), access.mayListenBeyondLoopback());
    }

    /** What all listeners share. */
    private record Opening(EventLoops loops, Doors doors, BrokerAccess access) {}

    private void listen(
            Opening opening,
            ListenerConfig where,
            InetAddress address,
            ListenerMode mode,
            ProtocolFactory head,
            String... subprotocols) {
        Listener listener;
        try {
            List<ProtocolFactory> protocols = opening.doors().around(where.name(), head, mode, subprotocols);
            listener = Listener.open(where, protocols, opening.loops());
        } catch (ListenerException e) {
            throw new StartFailure(ExitCode.IN_USE, e);
        }
        listeners.add(listener);
        shutdown.add("accepting", listener::stopAccepting);
        InetSocketAddress bound = listener.address();
        String posture = opening.doors().describe(mode) + "; "
                + opening.access().describe(address, where.name().startsWith("mqtt"));
        endpoints.add(new Endpoint(where.name(), address.getHostAddress(), bound.getPort(), posture));
    }

    private void failed(ShardStore store, Throwable cause) {
        boolean disk = store.state() == StoreState.FAILED;
        LOG.error(
                "MS-0121 broker failed reason=\"{}\" fix: {}",
                disk ? store.stateReason() : cause.toString(),
                disk ? "look at the disk, then start again; recovery keeps what was confirmed." : "report the defect.");
        onFailure.accept(disk ? ExitCode.LOG_IO : ExitCode.INTERNAL);
    }
}
