package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.BrokenConnect;
import io.mainstem.mqtt.wire.MqttViolation;
import io.mainstem.mqtt.wire.Packet;
import io.mainstem.mqtt.wire.Property;
import io.mainstem.mqtt.wire.Reason;
import io.mainstem.mqtt.wire.UnsupportedVersion;
import io.mainstem.mqtt.wire.Version;
import io.mainstem.transport.SocketEnd;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a connection ends, once: the client takes its leave, is refused, or has done something wrong. 5.0 is told why, 3.x
 * sees a plain close. Thread: the connection's event loop.
 */
final class ConnectionEnd {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionEnd.class);

    private final MqttConnection connection;
    private final Handshake handshake;
    private final SocketEnd socket;

    ConnectionEnd(MqttConnection connection, Handshake handshake, SocketEnd socket) {
        this.connection = connection;
        this.handshake = handshake;
        this.socket = socket;
    }

    /**
     * The client goes.
     *
     * @param client null if it was not connected
     */
    void onDisconnect(Packet.Disconnect disconnect, @Nullable Client client) {
        long before = client == null ? 0 : client.sessionExpiry();
        long expiry = disconnect.properties().number(Property.SESSION_EXPIRY, before);
        if (client != null && before == 0 && expiry > 0) {
            throw MqttViolation.protocol("session expiry " + expiry + " in DISCONNECT, and 0 in CONNECT");
        }
        connection.closing();
        handshake.end(expiry, disconnect.reason() != Reason.SUCCESS.code());
        closeSocket();
    }

    /** A step has failed: what the client did wrong is told as the standard says, all else is a defect. */
    void because(RuntimeException failure) {
        if (failure instanceof MqttViolation violation) {
            fail(violation);
        } else if (failure instanceof ConnectRefused refused) {
            refuse(refused);
        } else if (failure instanceof BrokenConnect broken) {
            connection.answers().as(broken.version(), broken.properties());
            fail(broken.violation());
        } else if (failure instanceof UnsupportedVersion unsupported) {
            Answers answers = connection.answers();
            answers.as(unsupported.level() < Version.V5.level() ? Version.V3_1_1 : Version.V5);
            refuse(new ConnectRefused(Reason.UNSUPPORTED_VERSION, String.valueOf(unsupported.getMessage())));
        } else {
            LOG.error(
                    "MS-0611 internal error peer={} fix: report this with the stack trace", connection.peer(), failure);
            fail(new MqttViolation(Reason.UNSPECIFIED_ERROR, "MS-0611 internal error: " + failure));
        }
    }

    /** A CONNECT that is answered with no. */
    void refuse(ConnectRefused refused) {
        if (connection.isClosing()) {
            return;
        }
        if (refused.logged()) {
            connection.logRefusal(String.valueOf(refused.getMessage()));
        }
        connection.answers().refuse(refused);
        connection.closing();
        handshake.end(false);
        closeSocket();
    }

    /** Because of an error. */
    void fail(MqttViolation violation) {
        if (connection.isClosing()) {
            return;
        }
        String text = String.valueOf(violation.getMessage());
        if (violation.reason() != Reason.SERVER_SHUTTING_DOWN) {
            connection.logRefusal(text);
        }
        Answers answers = connection.answers();
        if (connection.phase() == ConnectionPhase.CONNECTED) {
            answers.disconnect(violation.reason(), text);
        } else if (answers.version() == Version.V5) {
            answers.refuse(new ConnectRefused(violation.reason(), text));
        }
        connection.closing();
        handshake.end(true);
        closeSocket();
    }

    private void closeSocket() {
        connection.output().flush();
        socket.close();
    }
}
