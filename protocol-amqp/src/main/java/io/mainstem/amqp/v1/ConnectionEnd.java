package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.transport.SocketEnd;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.Close;
import org.apache.qpid.proton.amqp.transport.ConnectionError;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;

/**
 * The ways a connection ends: the peer closes, we close with an error, or the stream is of no use any more. Whatever
 * way it is, {@link SocketEnd} sees to it that the socket goes, also if the peer has stopped reading.
 *
 * <p>Thread: the connection's event loop.
 */
final class ConnectionEnd {
    private final AmqpConnection connection;
    private final SocketEnd socket;
    private final ConnectionInput input;
    private final Performatives performatives;

    ConnectionEnd(AmqpConnection connection, SocketEnd socket, ConnectionInput input, Performatives performatives) {
        this.connection = connection;
        this.socket = socket;
        this.input = input;
        this.performatives = performatives;
    }

    /** Closes with an error. Idempotent. */
    void fail(AmqpException violation) {
        ConnectionPhase phase = input.phase();
        if (phase == ConnectionPhase.CLOSING || phase == ConnectionPhase.CLOSE_SENT) {
            input.end(ConnectionPhase.CLOSING);
            return;
        }
        boolean framed = phase == ConnectionPhase.FRAMES;
        ErrorCondition error = violation.toErrorCondition();
        if (!ConnectionError.CONNECTION_FORCED.equals(error.getCondition())) {
            connection.logRefusal("connection", error);
        }
        if (framed) {
            performatives.openBeforeClose();
            performatives.close(false);
            Close close = new Close();
            close.setError(FrameFit.fit(error, performatives.frameBytesMaxOfPeer()));
            connection.output().frame(0, close);
        }
        closeSocketSoon(framed && !isStreamBroken(error));
    }

    private static boolean isStreamBroken(ErrorCondition error) {
        return ConnectionError.FRAMING_ERROR.equals(error.getCondition())
                || AmqpError.DECODE_ERROR.equals(error.getCondition());
    }

    /** The peer closed. */
    void onClose(boolean orderly) {
        performatives.close(orderly);
        connection.output().frame(0, new Close());
        closeSocket();
    }

    /** Flushes and closes; nothing is expected from the peer any more. */
    void closeSocket() {
        input.end(ConnectionPhase.CLOSING);
        performatives.close(false);
        connection.output().flush();
        socket.close();
    }

    /** Gives the peer time to read our close and to close by itself. */
    private void closeSocketSoon(boolean awaitClose) {
        input.end(awaitClose ? ConnectionPhase.CLOSE_SENT : ConnectionPhase.CLOSING);
        performatives.close(false);
        connection.output().flush();
        socket.closeLater();
    }
}
