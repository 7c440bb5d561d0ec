package io.mainstem.mqtt;

import io.mainstem.transport.Connections;

/** One connected client as operators see it, who may end its connection. Thread: the connection's event loop. */
final class OperatorView {
    private static final String VIRTUAL_HOST = "/";

    private final MqttProtocol protocol;
    private final Connections.Moment since;
    private long id;

    OperatorView(MqttProtocol protocol) {
        this.protocol = protocol;
        this.since = protocol.connections().moment();
    }

    /**
     * The client is connected.
     *
     * @param onEnd called on any thread with the operator's reason
     */
    void show(Client client, String peer, Connections.Ending onEnd) {
        Connections connections = protocol.connections();
        id = connections.nextId();
        protocol.statistics().connected();
        connections.add(
                new Connections.Info(
                        id,
                        protocol.name(),
                        peer,
                        client.id(),
                        null,
                        client.user(),
                        VIRTUAL_HOST,
                        protocol.clock().millis()),
                since,
                onEnd);
    }

    /** Idempotent. */
    void hide() {
        if (id != 0) {
            protocol.connections().remove(id);
            protocol.statistics().disconnected();
            id = 0;
        }
    }
}
