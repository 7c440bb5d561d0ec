package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.MqttViolation;
import io.mainstem.mqtt.wire.Packet;
import io.mainstem.mqtt.wire.Properties;
import io.mainstem.mqtt.wire.Property;
import io.mainstem.mqtt.wire.Reason;
import io.mainstem.transport.Peer;
import io.mainstem.transport.security.Authenticator;
import io.mainstem.transport.security.SaslExchange;
import io.mainstem.transport.security.SaslStep;
import io.mainstem.transport.security.Verdict;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out who a client is: in one step by the user name and password of its CONNECT or its certificate, or in several by
 * AUTH packets if CONNECT names a method (4.12), and then once more whenever the client asks for it.
 *
 * <p>Thread: the connection's event loop.
 */
final class Authentication {
    private static final Logger LOG = LoggerFactory.getLogger(Authentication.class);
    private static final Set<String> METHODS = Set.of("SCRAM-SHA-256", "SCRAM-SHA-512");
    private static final byte[] NOTHING = {};

    private final MqttConnection connection;
    private final Handshake handshake;
    private final Authenticator authenticator;
    private final Peer peer;
    private final @Nullable String method;
    /** The CONNECT, until its client is known. */
    private Packet.@Nullable Connect connect;

    private @Nullable SaslExchange exchange;
    /** The next step of the exchange is being found. */
    private boolean deciding;

    private @Nullable String user;
    private byte[] proof = NOTHING;

    Authentication(
            MqttConnection connection,
            Handshake handshake,
            Authenticator authenticator,
            Peer peer,
            Packet.Connect connect) {
        this.connection = connection;
        this.handshake = handshake;
        this.authenticator = authenticator;
        this.peer = peer;
        this.connect = connect;
        this.method = connect.properties().text(Property.AUTHENTICATION_METHOD);
    }

    /**
     * Begins; {@link Handshake#challenge} or {@link Handshake#admitted} follows, maybe before this returns.
     *
     * @throws ConnectRefused if the method is none of ours, or the client stays outside
     */
    void start(Packet.Connect from) {
        String its = method;
        if (its == null) {
            proceed(Login.of(authenticator, peer, from).thenApply(verdict -> verdict));
        } else if (METHODS.contains(its) && authenticator.mechanisms(peer).contains(its)) {
            begin(its, from.properties());
        } else {
            throw new ConnectRefused(
                    Reason.BAD_AUTHENTICATION_METHOD,
                    "MS-0607 authentication method '" + Topics.shown(its) + "' is not supported (expected: "
                            + String.join(" or ", METHODS.stream().sorted().toList()) + ", and a broker with users)");
        }
    }

    /** True if CONNECT named a method: the client may authenticate again. */
    boolean isEnhanced() {
        return method != null;
    }

    /** A step of the client, or the first of another exchange. */
    void onAuth(Packet.Auth auth) {
        String its = method;
        if (its == null) {
            throw MqttViolation.protocol("AUTH, and CONNECT named no authentication method");
        }
        if (!its.equals(auth.properties().text(Property.AUTHENTICATION_METHOD))) {
            throw MqttViolation.protocol("AUTH with another method than CONNECT (expected: " + its + ")");
        }
        SaslExchange underWay = exchange;
        boolean again = auth.reason() == Reason.REAUTHENTICATE.code();
        boolean next = auth.reason() == Reason.CONTINUE_AUTHENTICATION.code();
        if (again && underWay == null && connect == null) {
            begin(its, auth.properties());
        } else if (next && underWay != null && !deciding) {
            respond(underWay, auth.properties());
        } else {
            throw MqttViolation.protocol("AUTH with reason code 0x" + Integer.toHexString(auth.reason())
                    + (underWay == null ? ", and no exchange is under way" : ", and an exchange is under way"));
        }
    }

    private void begin(String its, Properties properties) {
        SaslExchange begun = authenticator.begin(its, peer);
        exchange = begun;
        respond(begun, properties);
    }

    private void respond(SaslExchange underWay, Properties properties) {
        byte[] data = properties.bytes(Property.AUTHENTICATION_DATA);
        proceed(underWay.respond(data == null ? NOTHING : data));
    }

    private void proceed(CompletionStage<SaslStep> stage) {
        deciding = true;
        CompletableFuture<SaslStep> step = stage.toCompletableFuture();
        // What fails here has failed in the broker: the client may try later, and does not wait for ever.
        CompletableFuture<SaslStep> known = step.exceptionally(failure -> {
            LOG.error(
                    "MS-0623 a login failed in the broker peer={} fix: report this with the stack trace",
                    connection.peer(),
                    failure);
            return new Verdict.Refused(true, "internal error");
        });
        if (known.isDone()) {
            onStep(known.join());
        } else {
            var unused = known.thenAcceptAsync(found -> connection.guarded(() -> onStep(found)), connection.executor());
        }
    }

    private void onStep(SaslStep step) {
        deciding = false;
        String its = method;
        if (connection.isClosing()) {
            return;
        }
        if (step instanceof SaslStep.Challenge challenge && its != null) {
            handshake.challenge(its, challenge.message());
        } else if (step instanceof Verdict.Granted granted) {
            granted(granted);
        } else {
            refused(step instanceof Verdict.Refused refused && refused.temporary());
        }
    }

    private void granted(Verdict.Granted granted) {
        exchange = null;
        Packet.Connect first = connect;
        if (first != null) {
            connect = null;
            user = granted.user();
            proof = granted.proof();
            handshake.admitted(Login.as(granted.user(), first));
        } else if (method != null && granted.user() != null && granted.user().equals(user)) {
            connection.answers().auth(Reason.SUCCESS, method, granted.proof());
            connection.scheduleFlush();
        } else {
            throw new MqttViolation(
                    Reason.NOT_AUTHORIZED, "MS-0618 a client may not become another user while it is connected");
        }
    }

    private void refused(boolean temporary) {
        exchange = null;
        if (connect == null) {
            throw new MqttViolation(Reason.NOT_AUTHORIZED, "MS-0618 the client has not shown again who it is");
        }
        Reason reason = temporary
                ? Reason.SERVER_BUSY
                : method == null ? Reason.BAD_USER_NAME_OR_PASSWORD : Reason.NOT_AUTHORIZED;
        throw new ConnectRefused(reason, "MS-0618 login refused");
    }

    /** What the CONNACK says of it [MQTT-4.12.0-5]. */
    void addTo(Properties connack) {
        if (method != null) {
            connack.put(Property.AUTHENTICATION_METHOD, method);
            if (proof.length > 0) {
                connack.put(Property.AUTHENTICATION_DATA, proof);
                proof = NOTHING;
            }
        }
    }
}
