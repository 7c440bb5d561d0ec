package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.MqttViolation;
import io.mainstem.mqtt.wire.Packet;
import io.mainstem.mqtt.wire.Properties;
import io.mainstem.mqtt.wire.Reason;
import io.mainstem.transport.Peer;
import org.jspecify.annotations.Nullable;

/**
 * From CONNECT to CONNACK: first {@link Authentication} finds out who the client is, then {@link Connecting} brings it its
 * session. Who named a method in CONNECT may authenticate again later.
 *
 * <p>Thread: the connection's event loop.
 */
final class Handshake {
    private final MqttConnection connection;
    private final MqttProtocol protocol;
    private @Nullable Authentication authentication;
    private @Nullable Connecting connecting;

    Handshake(MqttConnection connection, MqttProtocol protocol) {
        this.connection = connection;
        this.protocol = protocol;
    }

    void onConnect(Packet.Connect connect, Peer peer, long nowNanos) {
        connection.answers().as(connect);
        ConnectionRate rate = protocol.connectionRate();
        if (rate != null) {
            rate.enter(nowNanos);
        }
        connection.settingUp();
        Authentication begun = new Authentication(connection, this, protocol.authenticator(), peer, connect);
        authentication = begun;
        begun.start(connect);
    }

    void onAuth(Packet.Auth auth) {
        Authentication its = authentication;
        if (its == null) {
            throw MqttViolation.protocol("AUTH, and CONNECT named no authentication method");
        }
        if (connection.phase() == ConnectionPhase.AUTHENTICATING) {
            connection.settingUp();
        }
        its.onAuth(auth);
    }

    /** The client has to answer this before it is known, or known again. */
    void challenge(String method, byte[] data) {
        connection.answers().auth(Reason.CONTINUE_AUTHENTICATION, method, data);
        connection.scheduleFlush();
        if (connection.phase() == ConnectionPhase.CONNECTING) {
            connection.awaitAuth();
        }
    }

    /** The client is known. */
    void admitted(Packet.Connect connect) {
        connecting = Connecting.start(connection, protocol, connect);
        connection.scheduleFlush();
    }

    /** The session is open; what the CONNACK says besides. */
    Properties complete() {
        Connecting session = connecting;
        Authentication its = authentication;
        if (session == null || its == null) {
            throw new IllegalStateException("no session (expected: after it was admitted)");
        }
        if (!its.isEnhanced()) {
            authentication = null;
        }
        if (!session.client().version().hasProperties()) {
            return Properties.NONE;
        }
        Properties connack = session.negotiated();
        its.addTo(connack);
        return connack;
    }

    /** The connection is over; the session, if any, goes its own way. */
    void end(boolean withWill) {
        Connecting session = connecting;
        if (session != null) {
            session.end(session.client().sessionExpiry(), withWill);
        }
    }

    /**
     * The client takes its leave.
     *
     * @param expiry seconds that the session stays from now on
     */
    void end(long expiry, boolean withWill) {
        Connecting session = connecting;
        if (session != null) {
            session.end(Math.min(expiry, protocol.limits().sessionExpiryMax()), withWill);
        }
    }
}
