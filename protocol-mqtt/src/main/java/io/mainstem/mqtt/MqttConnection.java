package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.MqttViolation;
import io.mainstem.mqtt.wire.Packet;
import io.mainstem.mqtt.wire.PacketType;
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
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;
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
        /** Only AUTH or DISCONNECT may come. */
        AUTHENTICATING,
        /** The CONNACK is not out: what the client sent behind its CONNECT waits. */
        CONNECTING,
        CONNECTED,
        /** The stream is over or broken: what still comes is dropped. */
        CLOSING
    }

    private final MqttProtocol protocol;
    private @Nullable Wiring wiring;
    private Phase phase = Phase.NEW;
    private @Nullable Authentication authentication;
    private @Nullable Connecting connecting;
    private @Nullable ConnectedSession session;
    /** Null = the client may publish as fast as it likes. */
    private @Nullable PublishRate publishRate;

    private boolean inBatch;
    private boolean flushScheduled;
    private int refusals;
    private boolean heldBack;
    private long listedId;

    /** What there is only once the handler is in a pipeline. */
    private record Wiring(ChannelHandlerContext ctx, WriteGate gate, PacketOutput output, Answers answers, KeepAlive keepAlive) {}

    MqttConnection(MqttProtocol protocol) {
        this.protocol = protocol;
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

    Answers answers() {
        return wiring().answers();
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
        PacketOutput output = new PacketOutput(ctx, gate);
        wiring = new Wiring(ctx, gate, output, new Answers(output), new KeepAlive(ctx.executor(), this::silent));
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
        guarded(() -> {
            while (takesPackets()) {
                Packet packet = protocol.reader().next(in, answers().version());
                if (packet == null) {
                    break;
                }
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
            answers().as(unsupported.level() < Version.V5.level() ? Version.V3_1_1 : Version.V5);
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
            answers().pingResponse();
        } else {
            open.onPacket(packet);
            if (packet instanceof Packet.Publish && publishRate != null && publishRate.published()) {
                wiring().gate().pause(WriteGate.Pause.RATE_EXCEEDED);
                wiring().keepAlive().suspend();
            }
        }
    }

    /** The client has not published for as long as it had to wait. */
    private void publishAgain() {
        wiring().keepAlive().resume();
        wiring().gate().resume(WriteGate.Pause.RATE_EXCEEDED);
        readOn();
        scheduleFlush();
    }

    private void onConnect(Packet.Connect connect) {
        answers().as(connect);
        ConnectionRate rate = protocol.connectionRate();
        if (rate != null) {
            rate.enter(wiring().ctx().executor().ticker().nanoTime());
        }
        setUp();
        Peer from = Peer.of(wiring().ctx().channel());
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
        wiring().gate().pause(WriteGate.Pause.SETTING_UP);
    }

    boolean isClosing() {
        return phase == Phase.CLOSING;
    }

    /** The client has to answer this before it is known, or known again. */
    void challenge(String method, byte[] data) {
        answers().auth(Reason.CONTINUE_AUTHENTICATION, method, data);
        scheduleFlush();
        if (phase == Phase.CONNECTING) {
            phase = Phase.AUTHENTICATING;
            wiring().gate().resume(WriteGate.Pause.SETTING_UP);
            if (!inBatch) {
                readOn();
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
        wiring().ctx().pipeline().fireUserEventTriggered(HandshakeGuard.DONE);
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
        answers().welcome(present && client.version() != Version.V3_1, properties);
        wiring().keepAlive().start(client.keepAliveSeconds());
        int rate = protocol.options().publishRateMax();
        if (rate > 0) {
            publishRate = new PublishRate(rate, wiring().ctx().executor(), this::publishAgain);
        }
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
        ack(type, packetId, reason, null);
    }

    /** As above, with the reason in words. */
    void ack(PacketType type, int packetId, Reason reason, @Nullable String text) {
        if (phase == Phase.CONNECTED) {
            answers().ack(type, packetId, reason, text);
            scheduleFlush();
        }
    }

    /** SUBACK or UNSUBACK. */
    void filtersAck(PacketType type, int packetId, List<Integer> codes, @Nullable String text) {
        if (phase == Phase.CONNECTED) {
            answers().filtersAck(type, packetId, codes, text);
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
        if (refused.logged()) {
            logRefusal(String.valueOf(refused.getMessage()));
        }
        answers().refuse(refused);
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
            answers().disconnect(violation.reason(), violation.getMessage());
        } else if (answers().version() == Version.V5) {
            answers().refuse(new ConnectRefused(violation.reason(), String.valueOf(violation.getMessage())));
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
