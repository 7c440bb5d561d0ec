package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.Properties;
import io.mainstem.mqtt.wire.Property;

/** What the CONNACK of 5.0 tells: only where it differs from what a client takes for granted. Thread: any. */
final class Negotiation {
    private Negotiation() {}

    static Properties properties(Client client, boolean assignedId, MqttLimits limits) {
        Properties properties = new Properties();
        if (client.sessionExpiry() != client.requestedExpiry()) {
            properties.put(Property.SESSION_EXPIRY, client.sessionExpiry());
        }
        if (assignedId) {
            properties.put(Property.ASSIGNED_CLIENT_ID, client.id());
        }
        properties.put(Property.RECEIVE_MAXIMUM, limits.receiveMaximum());
        properties.put(Property.MAXIMUM_PACKET_SIZE, limits.packetBytesMax());
        if (limits.topicAliasMaximum() > 0) {
            properties.put(Property.TOPIC_ALIAS_MAXIMUM, limits.topicAliasMaximum());
        }
        return properties;
    }
}
