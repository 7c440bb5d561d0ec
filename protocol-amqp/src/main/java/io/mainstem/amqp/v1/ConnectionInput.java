package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.amqp.v1.wire.FrameReader;
import io.mainstem.amqp.v1.wire.PerformativeCodec;
import io.mainstem.transport.PeerLog;
import io.mainstem.transport.security.SaslStep;
import io.mainstem.transport.security.Verdict;
import io.netty.buffer.ByteBuf;
import org.apache.qpid.proton.amqp.transport.ConnectionError;
import org.apache.qpid.proton.framing.TransportFrame;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a connection in their order: protocol header, SASL layer, frames. Thread: the connection's event loop.
 */
final class ConnectionInput {
    private static final PeerLog LOG = PeerLog.of(ConnectionInput.class);
    private static final int HEADER_BYTES = 8;

    private final AmqpConnection connection;
    private final Performatives performatives;
    private final PerformativeCodec codec = PerformativeCodec.ofThread();
    private final SaslNegotiation sasl;
    private final DeclinedLogins declined;
    private final FrameReader reader = new FrameReader();

    private ConnectionPhase phase = ConnectionPhase.HEADER;
    private @Nullable String user;

    ConnectionInput(
            AmqpConnection connection, Performatives performatives, SaslNegotiation sasl, DeclinedLogins declined) {
        this.connection = connection;
        this.performatives = performatives;
        this.sasl = sasl;
        this.declined = declined;
    }

    ConnectionPhase phase() {
        return phase;
    }

    /** The peer has gone. */
    void lost() {
        if (phase == ConnectionPhase.SASL && !sasl.isBegun()) {
            declined.log(sasl.peer(), sasl.offered());
        }
        end(ConnectionPhase.CLOSING);
    }

    /** The connection ends: only the peer's close is awaited, or nothing any more. */
    void end(ConnectionPhase last) {
        phase = last;
    }

    /** Authenticated user, or null for anonymous. */
    @Nullable
    String user() {
        return user;
    }

    /** Takes one header or frame off the input; false if there is no complete one. @throws AmqpException */
    boolean step(ByteBuf in) {
        return switch (phase) {
            case HEADER, HEADER_AFTER_SASL -> in.readableBytes() >= HEADER_BYTES && header(in);
            case SASL -> saslFrame(in);
            case FRAMES, CLOSE_SENT -> frame(in);
            case SASL_PENDING, CLOSING -> false;
        };
    }

    /**
     * Takes frames that a peer in this JVM has not encoded; from now on it gets such frames, too. Only what comes after
     * the login can be one.
     *
     * @throws AmqpException as {@link #step}
     */
    void take(TransportFrame[] frames) {
        for (TransportFrame frame : frames) {
            if (phase == ConnectionPhase.FRAMES) {
                connection.output().unencoded();
                performatives.onFrame(frame);
            }
        }
    }

    private boolean header(ByteBuf in) {
        boolean amqp = starts(in, AmqpProtocol.AMQP_HEADER);
        if (amqp && (phase == ConnectionPhase.HEADER_AFTER_SASL || sasl.optional())) {
            in.skipBytes(HEADER_BYTES);
            connection.output().bytes(AmqpProtocol.AMQP_HEADER);
            phase = ConnectionPhase.FRAMES;
            return true;
        }
        if (phase == ConnectionPhase.HEADER && starts(in, AmqpProtocol.SASL_HEADER)) {
            in.skipBytes(HEADER_BYTES);
            connection.output().bytes(AmqpProtocol.SASL_HEADER);
            connection.output().saslFrame(sasl.mechanisms());
            phase = ConnectionPhase.SASL;
            return true;
        }
        byte[] own = phase == ConnectionPhase.HEADER ? AmqpProtocol.SASL_HEADER : AmqpProtocol.AMQP_HEADER;
        LOG.warn("MS-0501", "MS-0501 protocol header refused peer={} phase={}", connection.peer(), phase);
        connection.output().bytes(own);
        connection.closeSocket();
        return false;
    }

    private static boolean starts(ByteBuf in, byte[] header) {
        for (int i = 0; i < header.length; i++) {
            if (in.getByte(in.readerIndex() + i) != header[i]) {
                return false;
            }
        }
        return true;
    }

    private boolean saslFrame(ByteBuf in) {
        if (!reader.next(in, SaslNegotiation.FRAME_BYTES_MAX)) {
            return false;
        }
        if (reader.type() != FrameReader.SASL) {
            throw AmqpException.connection(
                    ConnectionError.FRAMING_ERROR, "MS-0501 frame of type " + reader.type() + " during SASL");
        }
        Object body = in.readerIndex() == reader.end() ? null : codec.read(in, reader.end());
        in.readerIndex(reader.end());
        phase = ConnectionPhase.SASL_PENDING;
        sasl.onFrame(body, this::onSaslStep);
        return phase != ConnectionPhase.SASL_PENDING;
    }

    private void onSaslStep(SaslStep step) {
        if (phase != ConnectionPhase.SASL_PENDING) {
            return; // The connection has ended in the meantime.
        }
        connection.output().saslFrame(SaslNegotiation.frame(step));
        if (step instanceof Verdict.Granted granted) {
            user = granted.user();
            phase = ConnectionPhase.HEADER_AFTER_SASL;
            connection.authenticated();
        } else if (step instanceof Verdict.Refused) {
            connection.closeSocket();
        } else {
            phase = ConnectionPhase.SASL;
        }
        connection.resumeInput();
    }

    private boolean frame(ByteBuf in) {
        if (!reader.next(in, connection.limits().frameBytesMax())) {
            return false;
        }
        if (reader.type() != FrameReader.AMQP) {
            throw AmqpException.connection(
                    ConnectionError.FRAMING_ERROR, "MS-0501 frame of type " + reader.type() + " (expected: 0)");
        }
        int end = reader.end();
        if (in.readerIndex() < end) {
            if (phase == ConnectionPhase.FRAMES) {
                performatives.onFrame(in, end, reader.channel());
            } else if (Performatives.isClose(in, end)) {
                connection.closeSocket();
            }
        }
        in.readerIndex(end);
        return phase == ConnectionPhase.FRAMES || phase == ConnectionPhase.CLOSE_SENT;
    }
}
