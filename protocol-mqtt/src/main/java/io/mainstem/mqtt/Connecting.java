package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.MqttViolation;
import io.mainstem.mqtt.wire.Packet;
import io.mainstem.mqtt.wire.Properties;
import io.mainstem.mqtt.wire.Property;
import io.mainstem.mqtt.wire.Reason;
import io.mainstem.mqtt.wire.Version;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ClientInfo;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.Message;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * From CONNECT to CONNACK: what was asked for is checked, the client id claimed, the session made, found or discarded.
 * Thread: the connection's event loop; callbacks of {@link Sessions} hop there.
 */
final class Connecting implements SessionHolder {
    private final MqttConnection connection;
    private final MqttProtocol protocol;
    private final Client client;
    private final boolean assignedId;
    private final @Nullable WillMessage will;
    private @Nullable BrokerSession broker;
    private @Nullable ConnectedSession session;
    /** What the log holds of the session is being changed: it is not as it was left any more. */
    private boolean touched;

    /** A session that was left goes on. */
    private boolean present;

    private boolean abandoned;

    private Connecting(
            MqttConnection connection,
            MqttProtocol protocol,
            Client client,
            boolean assignedId,
            @Nullable WillMessage will) {
        this.connection = connection;
        this.protocol = protocol;
        this.client = client;
        this.assignedId = assignedId;
        this.will = will;
    }

    /** @throws ConnectRefused if the CONNECT asks for what is not to be had */
    static Connecting start(MqttConnection connection, MqttProtocol protocol, Packet.Connect connect) {
        boolean assigned = connect.clientId().isEmpty();
        if (assigned
                && (connect.version() == Version.V3_1
                        || (connect.version() == Version.V3_1_1 && !connect.cleanStart()))) {
            throw new ConnectRefused(
                    Reason.CLIENT_IDENTIFIER_NOT_VALID,
                    "MS-0606 a client identifier is needed in " + connect.version());
        }
        String id = assigned ? "auto-" + UUID.randomUUID() : connect.clientId();
        Client client = client(connect, id, protocol);
        Connecting connecting = new Connecting(connection, protocol, client, assigned, will(connect, client, protocol));
        protocol.sessions().claim(id, connecting);
        return connecting;
    }

    private static Client client(Packet.Connect connect, String id, MqttProtocol protocol) {
        long requested = connect.version().hasProperties()
                ? connect.properties().number(Property.SESSION_EXPIRY, 0)
                : connect.cleanStart() ? 0 : Client.NEVER;
        return new Client(
                connect.version(),
                id,
                connect.user(),
                connect.cleanStart(),
                keepAlive(connect, protocol.options()),
                connect.keepAlive(),
                Math.min(requested, protocol.limits().sessionExpiryMax()),
                requested,
                (int) connect.properties().number(Property.RECEIVE_MAXIMUM, 65_535),
                connect.properties().number(Property.MAXIMUM_PACKET_SIZE, Long.MAX_VALUE),
                (int) connect.properties().number(Property.TOPIC_ALIAS_MAXIMUM, 0),
                connect.properties().number(Property.REQUEST_RESPONSE_INFORMATION, 0) == 1);
    }

    /** 3.x has no way to be told another one. */
    private static int keepAlive(Packet.Connect connect, MqttOptions options) {
        int wanted = connect.keepAlive();
        int max = options.keepAliveMaxSeconds();
        boolean tooLong = max > 0 && (wanted == 0 || wanted > max);
        return tooLong && connect.version().hasProperties() ? max : wanted;
    }

    private static @Nullable WillMessage will(Packet.Connect connect, Client client, MqttProtocol protocol) {
        Packet.Will will = connect.will();
        if (will == null) {
            return null;
        }
        String topic = protocol.options().topicMapping().name(will.topic());
        if (!Topics.isName(will.topic()) || Topics.isReserved(topic) || Topics.namesNoQueue(topic)) {
            throw new ConnectRefused(
                    Reason.TOPIC_NAME_INVALID,
                    "MS-0605 will topic '" + Topics.shown(will.topic())
                            + "' cannot be published to (expected: a topic name without wildcards, or $queues/ and the"
                            + " name of a queue)");
        }
        Inbound.checkMessage(will.properties(), will.payload());
        String queue = Topics.queue(topic);
        Message message = PublishIngress.message(
                new PublishIngress.Publisher(client, protocol.options().topicMapping()),
                PublishIngress.Place.of(topic, queue),
                will.qos(),
                will.retain(),
                will.properties(),
                will.payload(),
                protocol.clock().millis());
        return new WillMessage(will.properties().number(Property.WILL_DELAY, 0), message);
    }

    Client client() {
        return client;
    }

    /** What the CONNACK of 5.0 tells. */
    Properties negotiated() {
        return new Negotiation(client, protocol.limits(), protocol.options()).properties(assignedId, broker);
    }

    // ---- sessions ---------------------------------------------------------------------------------------------

    @Override
    public boolean cleanStart() {
        return client.cleanStart();
    }

    @Override
    public @Nullable String user() {
        return client.user();
    }

    @Override
    public void refused() {
        connection.executor().execute(() -> {
            if (!abandoned) {
                connection.refuse(new ConnectRefused(
                        Reason.NOT_AUTHORIZED,
                        "MS-0615 client identifier '" + Topics.shown(client.id())
                                + "' belongs to another user; asked for by " + shown(client.user())
                                + " fix: use another client identifier"));
            }
        });
    }

    @Override
    public void full(int sessionsMax) {
        connection.executor().execute(() -> {
            if (!abandoned) {
                connection.refuse(new ConnectRefused(
                        Reason.QUOTA_EXCEEDED,
                        "MS-0625 no room for client '" + Topics.shown(client.id()) + "': " + sessionsMax
                                + " clients are connected or have left a session (mqtt.sessions-max) fix: let clients"
                                + " that do not come back end theirs (clean start, session expiry), or raise the"
                                + " limit"));
            }
        });
    }

    private static String shown(@Nullable String user) {
        return user == null ? "an anonymous client" : "user '" + Topics.shown(user) + "'";
    }

    @Override
    public void granted(@Nullable SessionRecord left) {
        connection.executor().execute(() -> {
            if (!abandoned) {
                open(left);
            }
        });
    }

    @Override
    public void takenOver() {
        connection.executor().execute(() -> {
            if (!abandoned) {
                connection.fail(new MqttViolation(
                        Reason.SESSION_TAKEN_OVER, "MS-0608 another connection uses the client identifier"));
            }
        });
    }

    private void open(@Nullable SessionRecord left) {
        BrokerSession opened = protocol.broker()
                .connect(
                        new ClientInfo("/", client.id(), client.user(), connection.peer(), versionName()),
                        connection.executor());
        if (protocol.options().answerAfterWrite()) {
            opened.answerAfterWrite();
        }
        broker = opened;
        if (will != null && !mayPublish(opened, will.message().envelope())) {
            return;
        }
        SessionStore store = new SessionStore(opened, client.id());
        present = left != null && left.outlivesConnection() && !client.cleanStart();
        touched = left != null || client.sessionExpiry() > 0 || will != null;
        if (touched) {
            protocol.sessions().opening(client.id(), this);
        }
        boolean durable = client.sessionExpiry() > 0 || present;
        CompletionStage<@Nullable Void> before =
                left != null && !present ? store.discard() : CompletableFuture.completedFuture(null);
        var unused = before.thenCompose(gone -> {
                    if (abandoned) {
                        return CompletableFuture.failedFuture(new CancellationException("the connection has ended"));
                    }
                    CompletionStage<@Nullable Void> kept = keepRecord(opened, store);
                    opened.flush();
                    return durable ? kept : CompletableFuture.completedFuture(null);
                })
                .thenCompose(kept -> present ? resume(opened, store) : fresh(opened, store, durable))
                .whenComplete((ready, failure) -> {
                    if (abandoned) {
                        return;
                    }
                    if (ready == null) {
                        connection.refuse(new ConnectRefused(
                                Reason.SERVER_UNAVAILABLE, "MS-0609 the session cannot be opened: " + failure));
                    } else {
                        welcome(ready);
                    }
                });
        opened.flush();
    }

    private void welcome(ConnectedSession ready) {
        Properties connack = connection.connack();
        if (connack == null) {
            ready.close();
        } else {
            session = ready;
            connection.connected(ready, present, connack);
        }
    }

    /** What nobody may publish is refused now: when it is due, there is nobody left to be told. */
    private boolean mayPublish(BrokerSession opened, Envelope will) {
        try {
            opened.requirePublish(will.exchange(), will.routingKey());
            return true;
        } catch (BrokerException refused) {
            connection.refuse(new ConnectRefused(Reason.NOT_AUTHORIZED, String.valueOf(refused.getMessage())));
            return false;
        }
    }

    /** In the log: that a session is there, and what is published if its client does not come back. */
    private CompletionStage<@Nullable Void> keepRecord(BrokerSession opened, SessionStore store) {
        if (client.sessionExpiry() == 0 && will == null) {
            return CompletableFuture.completedFuture(null);
        }
        SessionRecord record = record();
        protocol.sessions().stored(client.id(), record);
        return opened.keep(List.of(store.session(record)));
    }

    private SessionRecord record() {
        return new SessionRecord(client.id(), client.user(), client.sessionExpiry(), 0, will);
    }

    private CompletionStage<ConnectedSession> fresh(BrokerSession opened, SessionStore store, boolean durable) {
        return CompletableFuture.completedFuture(new ConnectedSession(
                connection, protocol, client, opened, durables(store, durable), Set.of(), Set.of()));
    }

    private CompletionStage<ConnectedSession> resume(BrokerSession opened, SessionStore store) {
        CompletionStage<ConnectedSession> resumed = store.receivedIds()
                .thenCombine(
                        store.releasingIds(),
                        (in, out) -> new ConnectedSession(
                                connection, protocol, client, opened, durables(store, true), in, out))
                .thenCompose(ready -> {
                    CompletionStage<ConnectedSession> consuming =
                            ready.subscriptions().resume().thenApply(done -> ready);
                    opened.flush();
                    return consuming;
                });
        opened.flush();
        return resumed;
    }

    private ConnectedSession.Durables durables(SessionStore store, boolean durable) {
        return new ConnectedSession.Durables(store, durable, protocol.options().sessionQueue());
    }

    private String versionName() {
        return switch (client.version()) {
            case V3_1 -> "mqtt-3.1";
            case V3_1_1 -> "mqtt-3.1.1";
            case V5 -> "mqtt-5.0";
        };
    }

    /**
     * The connection is over, whatever came of it.
     *
     * @param expiry seconds the session stays from now on
     * @param withWill false after a DISCONNECT that takes the will back
     */
    void end(long expiry, boolean withWill) {
        if (abandoned) {
            return;
        }
        abandoned = true;
        ConnectedSession ended = session;
        if (ended != null) {
            ended.close();
        }
        BrokerSession opened = broker;
        if (opened != null) {
            opened.close();
        }
        if (ended == null && !touched) {
            protocol.sessions().withdrawn(client.id(), this);
            return;
        }
        // A new session of which the client was not told is none; what is there of it goes.
        long stays = ended == null && !present ? 0 : expiry;
        SessionRecord left = touched
                ? new SessionRecord(
                        client.id(), client.user(), stays, protocol.clock().millis(), will)
                : null;
        protocol.sessions().ended(client.id(), this, left, withWill && ended != null ? will : null);
    }
}
