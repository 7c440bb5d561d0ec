package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.PacketReader;
import io.mainstem.routing.Broker;
import io.mainstem.transport.Connections;
import io.mainstem.transport.InputBudget;
import io.mainstem.transport.ProtocolFactory;
import io.mainstem.transport.security.Authenticator;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPipeline;
import io.netty.util.concurrent.Ticker;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/** The MQTT head. Thread: any; shared by all connections. Close it after the listeners and before the broker. */
public final class MqttProtocol implements ProtocolFactory, AutoCloseable {
    private static final int CONNECT = 0x10;
    private static final int EXPIRY_SWEEP_SECONDS = 30;
    /** Retained messages taken away at a time. */
    private static final int EXPIRY_SWEEP_MAX = 1_000;

    private final Broker broker;
    private final MqttLimits limits;
    private final MqttOptions options;
    private final Authenticator authenticator;
    private final InstantSource clock;
    private final Sessions sessions;
    private final Connections connections;
    private final InputBudget input;
    private final PacketReader reader;
    private final Statistics statistics = new Statistics();
    private final SysTopics sysTopics;
    private final @Nullable ConnectionRate connectionRate;

    /**
     * Takes over the sessions that the log knows; blocks for that.
     *
     * @param authenticator asked who a client is
     * @param clock for arrival and expiry
     * @param connections lists the clients that are connected, among others
     * @param input what all heads may hold of frames and packets that are not complete
     */
    public MqttProtocol(
            Broker broker,
            MqttLimits limits,
            MqttOptions options,
            Authenticator authenticator,
            InstantSource clock,
            Connections connections,
            InputBudget input) {
        this.broker = broker;
        this.limits = limits;
        this.options = options;
        this.authenticator = authenticator;
        this.clock = clock;
        this.connections = connections;
        this.input = input;
        this.reader = new PacketReader(limits.packetBytesMax());
        this.connectionRate = options.connectionRateMax() == 0
                ? null
                : new ConnectionRate(
                        options.connectionRateMax(), Ticker.systemTicker().nanoTime());
        this.sessions = Sessions.open(broker, clock, limits.sessionsMax());
        this.sysTopics = new SysTopics(broker, statistics, sessions, clock);
        sessions.retained().limit(limits.retainedMax(), limits.retainedTotalBytesMax());
        sessions.repeat(EXPIRY_SWEEP_SECONDS, () -> sessions.retained().expire(clock.millis(), EXPIRY_SWEEP_MAX));
        if (options.sysIntervalSeconds() > 0) {
            sessions.repeat(options.sysIntervalSeconds(), sysTopics::refresh);
        }
    }

    @Override
    public String name() {
        return "mqtt";
    }

    @Override
    public Match matches(ByteBuf first) {
        return first.getUnsignedByte(first.readerIndex()) == CONNECT ? Match.YES : Match.NO;
    }

    /** A server of MQTT says nothing before CONNECT. */
    @Override
    public byte[] ownHeader() {
        return new byte[0];
    }

    @Override
    public void install(ChannelPipeline pipeline) {
        pipeline.addLast("mqtt", new PacketDecoder(this));
    }

    /** Sessions that are offline stay as they are. */
    @Override
    public void close() {
        sessions.close();
    }

    Broker broker() {
        return broker;
    }

    MqttLimits limits() {
        return limits;
    }

    MqttOptions options() {
        return options;
    }

    /** Null = any number of clients may connect. */
    @Nullable
    ConnectionRate connectionRate() {
        return connectionRate;
    }

    PacketReader reader() {
        return reader;
    }

    Authenticator authenticator() {
        return authenticator;
    }

    InstantSource clock() {
        return clock;
    }

    InputBudget input() {
        return input;
    }

    Connections connections() {
        return connections;
    }

    Statistics statistics() {
        return statistics;
    }

    SysTopics sysTopics() {
        return sysTopics;
    }

    Sessions sessions() {
        return sessions;
    }
}
