package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.MqttViolation;
import io.mainstem.mqtt.wire.Packet;
import io.mainstem.mqtt.wire.PacketReader;
import io.mainstem.mqtt.wire.PacketType;
import io.mainstem.mqtt.wire.PacketWriter;
import io.mainstem.mqtt.wire.Properties;
import io.mainstem.mqtt.wire.Property;
import io.mainstem.mqtt.wire.Reason;
import io.mainstem.mqtt.wire.UnsupportedVersion;
import io.mainstem.mqtt.wire.Version;
import io.mainstem.transport.Connections;
import io.mainstem.transport.HandshakeGuard;
import io.mainstem.transport.Listener;
import io.mainstem.transport.Peer;
import io.mainstem.transport.WriteGate;
import io.mainstem.transport.security.Verdict;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One MQTT connection: packets off the stream, answers onto it, errors, and the end of each batch. Everything that a read
 * brings is handled first; then answers go out together, with one hand-over to the broker and one flush of the socket.
 *
 * <p>Thread: the connection's event loop.
 */
final class MqttConnection extends ByteToMessageDecoder {
    private static final Logger LOG = LoggerFactory.getLogger(MqttConnection.class);
    private static final int CLOSE_TIMEOUT_MS = 2_000;
    private static final long CLOG_BYTES = 2 << 20;
    private static final int REFUSALS_LOGGED_MAX = 10;
    private static final String VIRTUAL_HOST = "/";

    private enum Phase {
        /** Only a CONNECT may come. */
        NEW,
        /** The CONNACK is not out: what the client sent behind its CONNECT waits. */
        CONNECTING,
        CONNECTED,
        /** The stream is over or broken: what still comes is dropped. */
        CLOSING
    }

    private final MqttProtocol protocol;
    private final PacketReader reader;
    private @Nullable Wiring wiring;
    private Phase phase = Phase.NEW;
    private @Nullable Version version;
    private @Nullable Connecting connecting;
    private @Nullable ConnectedSession session;
    private boolean inBatch;
    private boolean flushScheduled;
    private int refusals;
    private boolean heldBack;
    private long listedId;

    /** What there is only once the handler is in a pipeline. */
    private record Wiring(ChannelHandlerContext ctx, WriteGate gate, PacketOutput output, KeepAlive keepAlive) {}

    MqttConnection(MqttProtocol protocol) {
        this.protocol = protocol;
        this.reader = new PacketReader(protocol.limits().packetBytesMax());
    }

    private Wiring wiring() {
        Wiring present = wiring;
        if (present == null) {
            throw new IllegalStateException("connection is not in a pipeline");
        }
        return present;
    }

    PacketOutput output() {
        return wiring().output();
    }

    Executor executor() {
        return wiring().ctx().executor();
    }

    void execute(Runnable task) {
        executor().execute(task);
    }

    /** Address of the peer, for logs. */
    String peer() {
        return Peer.text(wiring().ctx().channel());
    }

    // ---- socket ----------------------------------------------------------------------------------------------

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        WriteGate gate = new WriteGate(ctx.channel(), CLOG_BYTES);
        wiring = new Wiring(ctx, gate, new PacketOutput(ctx, gate), new KeepAlive(ctx.executor(), this::silent));
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        inBatch = true;
        wiring().keepAlive().onRead();
        super.channelRead(ctx, message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        inBatch = false;
        endOfBatch();
        // Not super's: that would ask for more input although reading is paused.
        discardSomeReadBytes();
        ctx.fireChannelReadComplete();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        wiring().gate().check();
        if (ctx.channel().isWritable() && phase == Phase.CONNECTED) {
            scheduleFlush();
        }
        ctx.fireChannelWritabilityChanged();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event == Listener.SHUTDOWN) {
            execute(() -> fail(new MqttViolation(Reason.SERVER_SHUTTING_DOWN, "MS-0612 the broker stops")));
        } else {
            ctx.fireUserEventTriggered(event);
        }
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext ctx) {
        // The last thing Netty tells a handler, once the channel is closed and deregistered.
        release();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) throws Exception {
        phase = Phase.CLOSING;
        release();
        super.channelInactive(ctx);
    }

    private void release() {
        protocol.connections().remove(listedId);
        wiring().keepAlive().stop();
        end(true);
        wiring().output().release();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        // Resets and the like; what the peer did wrong is answered in decode.
        LOG.debug("connection lost peer={} cause={}", peer(), cause.toString());
        var unused = ctx.close();
    }

    // ---- packets ---------------------------------------------------------------------------------------------

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
        try {
            while (phase == Phase.NEW || phase == Phase.CONNECTED) {
                Packet packet = reader.next(in, version);
                if (packet == null) {
                    break;
                }
                onPacket(packet);
            }
        } catch (MqttViolation violation) {
            fail(violation);
        } catch (ConnectRefused refused) {
            refuse(refused);
        } catch (UnsupportedVersion unsupported) {
            version = unsupported.level() < Version.V5.level() ? Version.V3_1_1 : Version.V5;
            refuse(new ConnectRefused(Reason.UNSUPPORTED_VERSION, String.valueOf(unsupported.getMessage())));
        } catch (RuntimeException bug) {
            LOG.error("MS-0611 internal error peer={}", peer(), bug);
            fail(new MqttViolation(Reason.UNSPECIFIED_ERROR, "MS-0611 internal error: " + bug));
        }
        if (phase == Phase.CLOSING) {
            in.skipBytes(in.readableBytes());
        }
    }

    private void onPacket(Packet packet) {
        ConnectedSession open = session;
        if (packet instanceof Packet.Connect connect) {
            phase = Phase.CONNECTING;
            version = connect.version();
            wiring().gate().pause(WriteGate.Pause.SETTING_UP);
            logIn(connect);
        } else if (open == null) {
            throw new IllegalStateException("packet before CONNACK: " + packet);
        } else if (packet instanceof Packet.Ping) {
            PacketWriter.pingResponse(output().buffer());
            output().appended();
        } else if (packet instanceof Packet.Disconnect disconnect) {
            onDisconnect(disconnect, open.client());
        } else if (packet instanceof Packet.Auth) {
            throw MqttViolation.protocol("AUTH, and CONNECT named no authentication method");
        } else {
            open.onPacket(packet);
        }
    }

    private void logIn(Packet.Connect connect) {
        Peer from = Peer.of(wiring().ctx().channel());
        CompletableFuture<Verdict> verdict =
                Login.of(protocol.authenticator(), from, connect).toCompletableFuture();
        if (verdict.isDone()) {
            connecting = Connecting.start(this, protocol, Login.admitted(connect, verdict.join()));
        } else {
            var unused = verdict.thenAcceptAsync(known -> loggedIn(connect, known), executor());
        }
    }

    private void loggedIn(Packet.Connect connect, Verdict verdict) {
        if (phase != Phase.CONNECTING) {
            return; // The connection has ended in the meantime.
        }
        try {
            connecting = Connecting.start(this, protocol, Login.admitted(connect, verdict));
        } catch (ConnectRefused refused) {
            refuse(refused);
        } catch (MqttViolation violation) {
            fail(violation);
        }
        scheduleFlush();
    }

    private void onDisconnect(Packet.Disconnect disconnect, Client client) {
        long expiry = disconnect.properties().number(Property.SESSION_EXPIRY, client.sessionExpiry());
        if (client.sessionExpiry() == 0 && expiry > 0) {
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
        wiring().ctx().pipeline().fireUserEventTriggered(HandshakeGuard.DONE);
        Connecting mine = connecting;
        Properties properties = client.version().hasProperties() && mine != null
                ? Negotiation.properties(client, mine.assignedId(), protocol.limits())
                : Properties.NONE;
        // 3.1 has no such flag: its byte is reserved.
        boolean told = present && client.version() != Version.V3_1;
        PacketWriter.connack(output().buffer(), client.version(), told, 0, properties);
        output().appended();
        wiring().keepAlive().start(client.keepAliveSeconds());
        opened.start();
        list(client);
        wiring().gate().resume(WriteGate.Pause.SETTING_UP);
        scheduleFlush();
        readOn();
    }

    /** Lists the connection for operators, who may end it. */
    private void list(Client client) {
        Connections connections = protocol.connections();
        listedId = connections.nextId();
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

    /** What came behind the CONNECT is in the decoder's buffer and is no new input. */
    private void readOn() {
        try {
            super.channelRead(wiring().ctx(), Unpooled.EMPTY_BUFFER);
        } catch (Exception e) {
            exceptionCaught(wiring().ctx(), e);
        }
    }

    /** PUBACK, PUBREC, PUBREL, PUBCOMP. */
    void ack(PacketType type, int packetId, Reason reason) {
        Version its = version;
        if (phase == Phase.CONNECTED && its != null) {
            PacketWriter.ack(output().buffer(), its, type, packetId, reason, Properties.NONE);
            output().appended();
            scheduleFlush();
        }
    }

    /** SUBACK or UNSUBACK. */
    void filtersAck(PacketType type, int packetId, List<Integer> codes) {
        Version its = version;
        if (phase == Phase.CONNECTED && its != null) {
            PacketWriter.filtersAck(output().buffer(), its, type, packetId, codes, Properties.NONE);
            output().appended();
            scheduleFlush();
        }
    }

    // ---- batches ---------------------------------------------------------------------------------------------

    /** Sees to it that what was written or collected goes out soon; call from callbacks of the broker. */
    void scheduleFlush() {
        if (!inBatch && !flushScheduled) {
            flushScheduled = true;
            execute(() -> {
                flushScheduled = false;
                endOfBatch();
            });
        }
    }

    private void endOfBatch() {
        ConnectedSession open = session;
        if (open != null && phase == Phase.CONNECTED) {
            boolean within = inBatch;
            inBatch = true;
            open.endOfBatch();
            inBatch = within;
        }
        output().flush();
        if (output().takeRefusal()
                && phase == Phase.CONNECTED
                && wiring().ctx().channel().isWritable()) {
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
        wiring().gate().pause(WriteGate.Pause.BROKER_BLOCKED);
        wiring().keepAlive().suspend();
        return true;
    }

    void goOn() {
        heldBack = false;
        wiring().keepAlive().resume();
        wiring().gate().resume(WriteGate.Pause.BROKER_BLOCKED);
    }

    // ---- ending ----------------------------------------------------------------------------------------------

    private void silent() {
        fail(new MqttViolation(Reason.KEEP_ALIVE_TIMEOUT, "MS-0614 nothing came within 1.5 times the keep alive"));
    }

    /** Logs that something was refused; a peer that goes on and on is not heard for ever. */
    void logRefusal(String text) {
        refusals++;
        if (refusals <= REFUSALS_LOGGED_MAX) {
            LOG.warn("{} peer={}{}", text, peer(), refusals == REFUSALS_LOGGED_MAX ? "; no more of this peer" : "");
        } else {
            LOG.debug("{} peer={}", text, peer());
        }
    }

    /** A CONNECT that is answered with no. */
    void refuse(ConnectRefused refused) {
        if (phase == Phase.CLOSING) {
            return;
        }
        logRefusal(String.valueOf(refused.getMessage()));
        Version its = version == null ? Version.V3_1_1 : version;
        int code = its.hasProperties() ? refused.reason().code() : refused.returnCode();
        PacketWriter.connack(output().buffer(), its, false, code, Properties.NONE);
        output().appended();
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
        Version its = version;
        if (its != null && its.hasProperties()) {
            if (phase == Phase.CONNECTED) {
                PacketWriter.disconnect(output().buffer(), violation.reason(), Properties.NONE);
            } else {
                PacketWriter.connack(
                        output().buffer(), its, false, violation.reason().code(), Properties.NONE);
            }
            output().appended();
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
        output().closeAfterFlush();
        ChannelHandlerContext ctx = wiring().ctx();
        var unused = ctx.executor().schedule(this::cut, CLOSE_TIMEOUT_MS, TimeUnit.MILLISECONDS);
    }

    private void cut() {
        var unused = wiring().ctx().close();
    }
}
