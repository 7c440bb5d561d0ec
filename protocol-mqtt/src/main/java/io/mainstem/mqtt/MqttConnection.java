package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.MqttViolation;
import io.mainstem.mqtt.wire.Packet;
import io.mainstem.mqtt.wire.PacketType;
import io.mainstem.mqtt.wire.Properties;
import io.mainstem.mqtt.wire.Property;
import io.mainstem.mqtt.wire.Reason;
import io.mainstem.mqtt.wire.UnsupportedVersion;
import io.mainstem.mqtt.wire.Version;
import io.mainstem.transport.Batch;
import io.mainstem.transport.BatchedOutput;
import io.mainstem.transport.Connections;
import io.mainstem.transport.HandshakeGuard;
import io.mainstem.transport.Peer;
import io.mainstem.transport.WriteGate;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One MQTT connection: its packets and what they lead to, its phases, and its end. {@link PacketDecoder} is what Netty sees
 * of it.
 *
 * <p>Thread: the connection's event loop.
 */
final class MqttConnection {
    private static final Logger LOG = LoggerFactory.getLogger(MqttConnection.class);
    private static final int CLOSE_TIMEOUT_MS = 2_000;
    private static final long CLOG_BYTES = 2 << 20;
    private static final int FIRST_ANSWER_BYTES = 256;
    private static final String VIRTUAL_HOST = "/";

    private enum Phase {
        /** Only a CONNECT may come. */
        NEW,
        /** Only AUTH or DISCONNECT may come. */
        AUTHENTICATING,
        /** The CONNACK is not out: what the client sent behind its CONNECT waits. */
        CONNECTING,
        CONNECTED,
        /** The stream is over or broken: what still comes is dropped. */
        CLOSING
    }

    private final MqttProtocol protocol;
    private final ChannelHandlerContext ctx;
    private final Runnable readOn;
    private final WriteGate gate;
    private final BatchedOutput output;
    private final Answers answers;
    private final KeepAlive keepAlive;
    private final Batch batch;
    private Phase phase = Phase.NEW;
    private @Nullable Authentication authentication;
    private @Nullable Connecting connecting;
    private @Nullable ConnectedSession session;
    /** Null = the client may publish as fast as it likes. */
    private @Nullable PublishRate publishRate;

    private final RefusalLog refusals = new RefusalLog();
    private boolean heldBack;
    private long listedId;

    MqttConnection(MqttProtocol protocol, ChannelHandlerContext ctx, Runnable readOn) {
        this.protocol = protocol;
        this.ctx = ctx;
        this.readOn = readOn;
        this.gate = new WriteGate(ctx.channel(), CLOG_BYTES);
        this.output = new BatchedOutput(ctx, gate, FIRST_ANSWER_BYTES);
        this.answers = new Answers(output, protocol.statistics());
        this.keepAlive = new KeepAlive(ctx.executor(), this::silent);
        this.batch = new Batch(ctx.executor(), this::collect, this::flush);
    }

    BatchedOutput output() {
        return output;
    }

    Answers answers() {
        return answers;
    }

    Executor executor() {
        return ctx.executor();
    }

    void execute(Runnable task) {
        executor().execute(task);
    }

    /** Address of the peer, for logs. */
    String peer() {
        return Peer.text(ctx.channel());
    }

    // ---- socket ----------------------------------------------------------------------------------------------

    void onReadBegin() {
        batch.begin();
        keepAlive.onRead();
    }

    void onReadEnd() {
        batch.end();
    }

    void onWritability(boolean writable) {
        gate.check();
        if (writable && phase == Phase.CONNECTED) {
            scheduleFlush();
        }
    }

    void onBrokerStop() {
        execute(() -> fail(new MqttViolation(Reason.SERVER_SHUTTING_DOWN, "MS-0612 the broker stops")));
    }

    /** The socket is gone. Idempotent. */
    void onClosed() {
        phase = Phase.CLOSING;
        if (listedId != 0) {
            protocol.connections().remove(listedId);
            protocol.statistics().disconnected();
            listedId = 0;
        }
        keepAlive.stop();
        end(true);
        output.release();
    }

    // ---- packets ---------------------------------------------------------------------------------------------

    /** Takes as many packets as there are and may be taken now. */
    void onBytes(ByteBuf in) {
        guarded(() -> {
            while (takesPackets()) {
                Packet packet = protocol.reader().next(in, answers.version());
                if (packet == null) {
                    break;
                }
                protocol.statistics().packetReceived();
                onPacket(packet);
            }
        });
        if (phase == Phase.CLOSING) {
            in.skipBytes(in.readableBytes());
        }
    }

    private boolean takesPackets() {
        return switch (phase) {
            case NEW, AUTHENTICATING -> true;
            case CONNECTED -> publishRate == null || !publishRate.isWaiting();
            case CONNECTING, CLOSING -> false;
        };
    }

    /** Runs a step of the connection; what goes wrong there ends it as the standard says. */
    void guarded(Runnable step) {
        try {
            step.run();
        } catch (MqttViolation violation) {
            fail(violation);
        } catch (ConnectRefused refused) {
            refuse(refused);
        } catch (UnsupportedVersion unsupported) {
            answers.as(unsupported.level() < Version.V5.level() ? Version.V3_1_1 : Version.V5);
            refuse(new ConnectRefused(Reason.UNSUPPORTED_VERSION, String.valueOf(unsupported.getMessage())));
        } catch (RuntimeException bug) {
            LOG.error("MS-0611 internal error peer={}", peer(), bug);
            fail(new MqttViolation(Reason.UNSPECIFIED_ERROR, "MS-0611 internal error: " + bug));
        }
    }

    private void onPacket(Packet packet) {
        ConnectedSession open = session;
        if (packet instanceof Packet.Connect connect) {
            onConnect(connect);
        } else if (packet instanceof Packet.Auth auth) {
            onAuth(auth);
        } else if (packet instanceof Packet.Disconnect disconnect) {
            onDisconnect(disconnect, open);
        } else if (open == null) {
            throw MqttViolation.protocol("neither AUTH nor DISCONNECT before CONNACK");
        } else if (packet instanceof Packet.Ping) {
            answers.pingResponse();
        } else {
            open.onPacket(packet);
            if (packet instanceof Packet.Publish && publishRate != null && publishRate.published()) {
                gate.pause(WriteGate.Pause.RATE_EXCEEDED);
                keepAlive.suspend();
            }
        }
    }

    /** The client has not published for as long as it had to wait. */
    private void publishAgain() {
        keepAlive.resume();
        gate.resume(WriteGate.Pause.RATE_EXCEEDED);
        readOn.run();
        scheduleFlush();
    }

    private void onConnect(Packet.Connect connect) {
        answers.as(connect);
        ConnectionRate rate = protocol.connectionRate();
        if (rate != null) {
            rate.enter(ctx.executor().ticker().nanoTime());
        }
        setUp();
        Peer from = Peer.of(ctx.channel());
        Authentication begun = new Authentication(this, protocol.authenticator(), from, connect);
        authentication = begun;
        begun.start(connect);
    }

    private void onAuth(Packet.Auth auth) {
        Authentication its = authentication;
        if (its == null) {
            throw MqttViolation.protocol("AUTH, and CONNECT named no authentication method");
        }
        if (phase == Phase.AUTHENTICATING) {
            setUp();
        }
        its.onAuth(auth);
    }

    /** Nothing is read until it is clear how it goes on. */
    private void setUp() {
        phase = Phase.CONNECTING;
        gate.pause(WriteGate.Pause.SETTING_UP);
    }

    boolean isClosing() {
        return phase == Phase.CLOSING;
    }

    /** The client has to answer this before it is known, or known again. */
    void challenge(String method, byte[] data) {
        answers.auth(Reason.CONTINUE_AUTHENTICATION, method, data);
        scheduleFlush();
        if (phase == Phase.CONNECTING) {
            phase = Phase.AUTHENTICATING;
            gate.resume(WriteGate.Pause.SETTING_UP);
            if (!batch.isOpen()) {
                readOn.run();
            }
        }
    }

    /** The client is known. */
    void admitted(Packet.Connect connect) {
        connecting = Connecting.start(this, protocol, connect);
        scheduleFlush();
    }

    private void onDisconnect(Packet.Disconnect disconnect, @Nullable ConnectedSession open) {
        long before = open == null ? 0 : open.client().sessionExpiry();
        long expiry = disconnect.properties().number(Property.SESSION_EXPIRY, before);
        if (open != null && before == 0 && expiry > 0) {
            throw MqttViolation.protocol("session expiry " + expiry + " in DISCONNECT, and 0 in CONNECT");
        }
        phase = Phase.CLOSING;
        Connecting mine = connecting;
        if (mine != null) {
            mine.end(
                    Math.min(expiry, protocol.limits().sessionExpiryMax()),
                    disconnect.reason() != Reason.SUCCESS.code());
        }
        closeSocket();
    }

    // ---- answers ---------------------------------------------------------------------------------------------

    /** The session is open: CONNACK, and on with what the client sent meanwhile. */
    void connected(ConnectedSession opened, boolean present) {
        if (phase != Phase.CONNECTING) {
            return;
        }
        session = opened;
        phase = Phase.CONNECTED;
        Client client = opened.client();
        ctx.pipeline().fireUserEventTriggered(HandshakeGuard.DONE);
        Connecting mine = connecting;
        Properties properties = Properties.NONE;
        Authentication its = authentication;
        if (client.version().hasProperties() && mine != null && its != null) {
            properties = mine.negotiated();
            its.addTo(properties);
        }
        if (its != null && !its.isEnhanced()) {
            authentication = null;
        }
        // 3.1 has no such flag: its byte is reserved.
        answers.welcome(present && client.version() != Version.V3_1, properties);
        keepAlive.start(client.keepAliveSeconds());
        int rate = protocol.options().publishRateMax();
        if (rate > 0) {
            publishRate = new PublishRate(rate, ctx.executor(), this::publishAgain);
        }
        opened.start();
        list(client);
        gate.resume(WriteGate.Pause.SETTING_UP);
        scheduleFlush();
        readOn.run();
    }

    /** Lists the connection for operators, who may end it. */
    private void list(Client client) {
        Connections connections = protocol.connections();
        listedId = connections.nextId();
        protocol.statistics().connected();
        connections.add(
                new Connections.Info(
                        listedId,
                        protocol.name(),
                        peer(),
                        client.id(),
                        client.user(),
                        VIRTUAL_HOST,
                        protocol.clock().millis()),
                reason -> execute(() -> fail(new MqttViolation(Reason.ADMINISTRATIVE_ACTION, reason))));
    }

    /** PUBACK, PUBREC, PUBREL, PUBCOMP. */
    void ack(PacketType type, int packetId, Reason reason) {
        ack(type, packetId, reason, null);
    }

    /** As above, with the reason in words. */
    void ack(PacketType type, int packetId, Reason reason, @Nullable String text) {
        if (phase == Phase.CONNECTED) {
            answers.ack(type, packetId, reason, text);
            scheduleFlush();
        }
    }

    /** SUBACK or UNSUBACK. */
    void filtersAck(PacketType type, int packetId, List<Integer> codes, @Nullable String text) {
        if (phase == Phase.CONNECTED) {
            answers.filtersAck(type, packetId, codes, text);
            scheduleFlush();
        }
    }

    // ---- batches ---------------------------------------------------------------------------------------------

    /** Sees to it that what was written or collected goes out soon; call from callbacks of the broker. */
    void scheduleFlush() {
        batch.schedule();
    }

    /** Runs a task on the event loop later. */
    void schedule(Runnable task, int ms) {
        var unused = ctx.executor().schedule(task, ms, TimeUnit.MILLISECONDS);
    }

    /** As {@link #scheduleFlush}, behind what is being put together now. */
    void flushLater() {
        execute(this::scheduleFlush);
    }

    private void collect() {
        ConnectedSession open = session;
        if (open != null && phase == Phase.CONNECTED) {
            open.endOfBatch();
        }
    }

    private void flush() {
        output.flush();
        protocol.statistics().sent(output.takeBytes());
        if (output.takeRefusal() && phase == Phase.CONNECTED && ctx.channel().isWritable()) {
            scheduleFlush();
        }
    }

    /** The broker takes no more publishes for now; false if that was known. */
    boolean holdBack(String reason) {
        if (heldBack) {
            return false;
        }
        heldBack = true;
        LOG.debug("MS-0613 publisher held back peer={} reason=\"{}\"", peer(), reason);
        gate.pause(WriteGate.Pause.BROKER_BLOCKED);
        keepAlive.suspend();
        return true;
    }

    void goOn() {
        heldBack = false;
        keepAlive.resume();
        gate.resume(WriteGate.Pause.BROKER_BLOCKED);
    }

    // ---- ending ----------------------------------------------------------------------------------------------

    private void silent() {
        fail(new MqttViolation(Reason.KEEP_ALIVE_TIMEOUT, "MS-0614 nothing came within 1.5 times the keep alive"));
    }

    /** Logs that something was refused. */
    void logRefusal(String text) {
        refusals.add(text, peer());
    }

    /** A CONNECT that is answered with no. */
    void refuse(ConnectRefused refused) {
        if (phase == Phase.CLOSING) {
            return;
        }
        if (refused.logged()) {
            logRefusal(String.valueOf(refused.getMessage()));
        }
        answers.refuse(refused);
        phase = Phase.CLOSING;
        end(false);
        closeSocket();
    }

    /** Ends the connection because of an error: told in 5.0, a plain close in 3.x. Idempotent. */
    void fail(MqttViolation violation) {
        if (phase == Phase.CLOSING) {
            return;
        }
        if (violation.reason() != Reason.SERVER_SHUTTING_DOWN) {
            logRefusal(String.valueOf(violation.getMessage()));
        }
        if (phase == Phase.CONNECTED) {
            answers.disconnect(violation.reason(), violation.getMessage());
        } else if (answers.version() == Version.V5) {
            answers.refuse(new ConnectRefused(violation.reason(), String.valueOf(violation.getMessage())));
        }
        phase = Phase.CLOSING;
        end(true);
        closeSocket();
    }

    /** The session, if any, goes its own way. */
    private void end(boolean withWill) {
        Connecting mine = connecting;
        if (mine != null) {
            mine.end(mine.client().sessionExpiry(), withWill);
        }
    }

    /** Flushes and closes; the peer may have stopped reading. */
    private void closeSocket() {
        output.closeAfterFlush();
        var unused = ctx.executor().schedule(this::cut, CLOSE_TIMEOUT_MS, TimeUnit.MILLISECONDS);
    }

    private void cut() {
        var unused = ctx.close();
    }
}
