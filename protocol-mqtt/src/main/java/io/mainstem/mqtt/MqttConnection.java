package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.MqttViolation;
import io.mainstem.mqtt.wire.Packet;
import io.mainstem.mqtt.wire.PacketType;
import io.mainstem.mqtt.wire.Properties;
import io.mainstem.mqtt.wire.Reason;
import io.mainstem.mqtt.wire.Version;
import io.mainstem.routing.access.AccessPolicy;
import io.mainstem.transport.Batch;
import io.mainstem.transport.BatchedOutput;
import io.mainstem.transport.HandshakeGuard;
import io.mainstem.transport.Peer;
import io.mainstem.transport.SocketEnd;
import io.mainstem.transport.WriteGate;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.concurrent.EventExecutor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One MQTT connection: its packets and what they lead to, its phases, and its end. {@link PacketDecoder} is what Netty sees
 * of it.
 *
 * <p>Thread: the connection's event loop.
 */
final class MqttConnection {
    private static final long CLOG_BYTES = 2 << 20;
    private static final int FIRST_ANSWER_BYTES = 256;

    private final MqttProtocol protocol;
    private final ChannelHandlerContext ctx;
    private final Runnable readOn;
    private final WriteGate gate;
    private final Intake intake;
    private final BatchedOutput output;
    private final Answers answers;
    private final Batch batch;
    private final Handshake handshake;
    private final ConnectionEnd end;
    private final OperatorView operators;
    private final RefusalLog refusals = new RefusalLog();
    private ConnectionPhase phase = ConnectionPhase.NEW;
    private @Nullable ConnectedSession session;

    /** @param readOn looks at once more what has been read and was not taken */
    MqttConnection(MqttProtocol protocol, ChannelHandlerContext ctx, Runnable readOn) {
        this.protocol = protocol;
        this.ctx = ctx;
        this.readOn = readOn;
        this.gate = new WriteGate(ctx.channel(), CLOG_BYTES);
        this.output = new BatchedOutput(ctx, gate, FIRST_ANSWER_BYTES);
        this.answers = new Answers(
                output, protocol.statistics(), text -> fail(new MqttViolation(Reason.PACKET_TOO_LARGE, text)));
        this.intake = new Intake(ctx.executor(), gate, this::readAgain, this::silent);
        this.batch = new Batch(ctx.executor(), this::collect, this::flush);
        this.handshake = new Handshake(this, protocol);
        this.end = new ConnectionEnd(this, handshake, new SocketEnd(ctx));
        this.operators = new OperatorView(protocol);
    }

    BatchedOutput output() {
        return output;
    }

    Answers answers() {
        return answers;
    }

    EventExecutor executor() {
        return ctx.executor();
    }

    /** Address of the peer, for logs. */
    String peer() {
        return Peer.text(ctx.channel());
    }

    // ---- socket ----------------------------------------------------------------------------------------------

    /** @param bytes that have come */
    void onReadBegin(int bytes) {
        batch.begin();
        intake.onBytes(bytes);
    }

    void onReadEnd() {
        batch.end();
    }

    void onWritability(boolean writable) {
        gate.check();
        if (writable && phase == ConnectionPhase.CONNECTED) {
            scheduleFlush();
        }
    }

    void onBrokerStop() {
        executor().execute(() -> fail(new MqttViolation(Reason.SERVER_SHUTTING_DOWN, "MS-0612 the broker stops")));
    }

    /** The socket is gone. Idempotent. */
    void onClosed() {
        phase = ConnectionPhase.CLOSING;
        operators.hide();
        intake.close();
        handshake.end(true);
        output.release();
    }

    // ---- packets ---------------------------------------------------------------------------------------------

    /** Takes as many packets as there are and may be taken now. */
    void onBytes(ByteBuf in) {
        guarded(() -> {
            boolean whole = false;
            while (takesPackets()) {
                Packet packet = protocol.reader().next(in, answers.version());
                if (packet == null) {
                    break;
                }
                protocol.statistics().packetReceived();
                onPacket(packet);
                whole = true;
            }
            if (whole) {
                intake.onPackets();
            }
        });
        if (phase == ConnectionPhase.CLOSING) {
            in.skipBytes(in.readableBytes());
        }
    }

    private boolean takesPackets() {
        return switch (phase) {
            case NEW, AUTHENTICATING -> true;
            case CONNECTED -> intake.open();
            case CONNECTING, CLOSING -> false;
        };
    }

    /** Runs a step of the connection; what goes wrong there ends it as the standard says. */
    void guarded(Runnable step) {
        try {
            step.run();
        } catch (RuntimeException failure) {
            end.because(failure);
        }
    }

    private void onPacket(Packet packet) {
        ConnectedSession open = session;
        if (packet instanceof Packet.Connect connect) {
            handshake.onConnect(
                    connect, Peer.of(ctx.channel()), executor().ticker().nanoTime());
        } else if (packet instanceof Packet.Auth auth) {
            handshake.onAuth(auth);
        } else if (packet instanceof Packet.Disconnect disconnect) {
            end.onDisconnect(disconnect, open == null ? null : open.client());
        } else if (open == null) {
            throw MqttViolation.protocol("neither AUTH nor DISCONNECT before CONNACK");
        } else if (packet instanceof Packet.Ping) {
            answers.pingResponse();
        } else {
            open.onPacket(packet);
            if (packet instanceof Packet.Publish) {
                intake.published();
            }
        }
    }

    private void readAgain() {
        readOn.run();
        scheduleFlush();
    }

    // ---- from CONNECT to CONNACK -----------------------------------------------------------------------------

    ConnectionPhase phase() {
        return phase;
    }

    boolean isClosing() {
        return phase == ConnectionPhase.CLOSING;
    }

    /** Nothing is read until it is clear how it goes on. */
    void settingUp() {
        phase = ConnectionPhase.CONNECTING;
        intake.settingUp();
    }

    /** It goes on with an AUTH of the client. */
    void awaitAuth() {
        phase = ConnectionPhase.AUTHENTICATING;
        intake.setUp();
        if (!batch.isOpen()) {
            readOn.run();
        }
    }

    /** What the CONNACK will say; null if the client does not take so much, and is refused. */
    @Nullable
    Properties connack() {
        Properties connack = handshake.complete();
        String tooLarge = answers.shrinkWelcome(connack);
        if (tooLarge != null) {
            refuse(new ConnectRefused(Reason.PACKET_TOO_LARGE, tooLarge));
            return null;
        }
        return connack;
    }

    /** The session is open: CONNACK, and on with what the client sent meanwhile. */
    void connected(ConnectedSession opened, boolean present, Properties connack) {
        if (phase != ConnectionPhase.CONNECTING) {
            return;
        }
        session = opened;
        phase = ConnectionPhase.CONNECTED;
        Client client = opened.client();
        ctx.pipeline().fireUserEventTriggered(HandshakeGuard.DONE);
        // 3.1 has no such flag: its byte is reserved.
        answers.welcome(present && client.version() != Version.V3_1, connack);
        intake.connected(client.keepAliveSeconds(), protocol.options().publishRateMax());
        opened.start();
        operators.show(
                client,
                peer(),
                reason -> executor().execute(() -> fail(new MqttViolation(Reason.ADMINISTRATIVE_ACTION, reason))));
        intake.setUp();
        readAgain();
    }

    // ---- answers ---------------------------------------------------------------------------------------------

    /** PUBACK, PUBREC, PUBREL, PUBCOMP. */
    void ack(PacketType type, int packetId, Reason reason) {
        ack(type, packetId, reason, null);
    }

    /** As above, with the reason in words. */
    void ack(PacketType type, int packetId, Reason reason, @Nullable String text) {
        if (phase == ConnectionPhase.CONNECTED) {
            answers.ack(type, packetId, reason, text);
            scheduleFlush();
        }
    }

    /** SUBACK or UNSUBACK. */
    void filtersAck(PacketType type, int packetId, List<Integer> codes, @Nullable String text) {
        if (phase == ConnectionPhase.CONNECTED) {
            answers.filtersAck(type, packetId, codes, text);
            scheduleFlush();
        }
    }

    /** So many filters of a packet are worked on from now on. */
    void filtersTaken(int filters) {
        intake.filtersTaken(filters);
    }

    /** As many are answered. */
    void filtersAnswered(int filters) {
        intake.filtersAnswered(filters);
    }

    // ---- batches ---------------------------------------------------------------------------------------------

    /** Sees to it that what was written or collected goes out soon; call from callbacks of the broker. */
    void scheduleFlush() {
        batch.schedule();
    }

    /** As {@link #scheduleFlush}, behind what is being put together now. */
    void flushLater() {
        executor().execute(this::scheduleFlush);
    }

    private void collect() {
        ConnectedSession open = session;
        if (open != null && phase == ConnectionPhase.CONNECTED) {
            open.endOfBatch();
        }
    }

    private void flush() {
        output.flush();
        protocol.statistics().sent(output.takeBytes());
        if (output.takeRefusal()
                && phase == ConnectionPhase.CONNECTED
                && ctx.channel().isWritable()) {
            scheduleFlush();
        }
    }

    /** The broker takes no more publishes for now; false if that was known. */
    boolean holdBack(String reason) {
        return intake.holdBack(peer(), reason);
    }

    void goOn() {
        intake.goOn();
    }

    // ---- ending ----------------------------------------------------------------------------------------------

    private void silent() {
        fail(new MqttViolation(Reason.KEEP_ALIVE_TIMEOUT, "MS-0614 nothing came within 1.5 times the keep alive"));
    }

    /** Logs that something was refused. */
    void logRefusal(String text) {
        // A denial was logged where it was decided.
        if (!AccessPolicy.isDenial(text)) {
            refusals.add(text, peer());
        }
    }

    /** A CONNECT that is answered with no. Idempotent. */
    void refuse(ConnectRefused refused) {
        end.refuse(refused);
    }

    /** Ends the connection because of an error. Idempotent. */
    void fail(MqttViolation violation) {
        end.fail(violation);
    }

    /** Nothing is taken from now on. */
    void closing() {
        phase = ConnectionPhase.CLOSING;
    }
}
