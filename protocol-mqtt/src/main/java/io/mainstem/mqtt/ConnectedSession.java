package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.Packet;
import io.mainstem.routing.BrokerSession;
import java.util.Set;

/** An open session: what comes in, what goes out, and the filters. Thread: the connection's event loop. */
final class ConnectedSession {
    private final Client client;
    private final BrokerSession broker;
    private final boolean durable;
    private final Inbound inbound;
    private final Outbound outbound;
    private final Subscriptions subscriptions;

    /**
     * @param received publishes of QoS 2 that the client has not released
     * @param releasing deliveries of QoS 2 that the client has not completed
     */
    ConnectedSession(
            MqttConnection connection,
            MqttProtocol protocol,
            Client client,
            BrokerSession broker,
            Durables durables,
            Set<Integer> received,
            Set<Integer> releasing) {
        this.client = client;
        this.broker = broker;
        this.durable = durables.durable();
        this.inbound = new Inbound(connection, protocol, client, broker, durables, received);
        this.outbound = new Outbound(connection, protocol, client, broker, durables, releasing);
        this.subscriptions = new Subscriptions(connection, protocol, client, broker, durables, outbound);
    }

    /**
     * What of a session is kept, if anything.
     *
     * @param durable packet ids and the queue outlive the connection
     * @param policy of queues that are made
     */
    record Durables(SessionStore store, boolean durable, SessionQueuePolicy policy) {}

    Client client() {
        return client;
    }

    boolean durable() {
        return durable;
    }

    Subscriptions subscriptions() {
        return subscriptions;
    }

    /** The CONNACK is on its way: what was under way goes on. */
    void start() {
        outbound.start();
    }

    void onPacket(Packet packet) {
        if (packet instanceof Packet.Publish publish) {
            inbound.onPublish(publish);
        } else if (packet instanceof Packet.Ack ack) {
            onAck(ack);
        } else if (packet instanceof Packet.Subscribe subscribe) {
            subscriptions.onSubscribe(subscribe);
        } else if (packet instanceof Packet.Unsubscribe unsubscribe) {
            subscriptions.onUnsubscribe(unsubscribe);
        }
    }

    private void onAck(Packet.Ack ack) {
        switch (ack.type()) {
            case PUBACK -> outbound.onPuback(ack.packetId());
            case PUBREC -> outbound.onPubrec(ack.packetId(), ack.reason());
            case PUBCOMP -> outbound.onPubcomp(ack.packetId());
            case PUBREL -> inbound.onPubrel(ack.packetId());
            default -> throw new IllegalStateException("no ack: " + ack.type());
        }
    }

    /** Deliveries that wait for the socket or for acknowledgements go out. */
    void pump() {
        outbound.pump();
    }

    void endOfBatch() {
        outbound.pump();
        subscriptions.pump(outbound.keepsUp());
        broker.flush();
    }

    void close() {
        outbound.close();
    }
}
