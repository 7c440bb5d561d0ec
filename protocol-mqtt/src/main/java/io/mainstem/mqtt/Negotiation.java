package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.Properties;
import io.mainstem.mqtt.wire.Property;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.topology.TopicNames;
import org.jspecify.annotations.Nullable;

/** What the CONNACK of 5.0 tells: only where it differs from what a client takes for granted. Thread: any. */
record Negotiation(Client client, MqttLimits limits, MqttOptions options) {
    /**
     * To be sent.
     *
     * @param assignedId the client gave none
     * @param broker asked where the client may read
     */
    Properties properties(boolean assignedId, @Nullable BrokerSession broker) {
        Properties properties = new Properties();
        if (client.sessionExpiry() != client.requestedExpiry()) {
            properties.put(Property.SESSION_EXPIRY, client.sessionExpiry());
        }
        if (client.keepAliveSeconds() != client.requestedKeepAlive()) {
            properties.put(Property.SERVER_KEEP_ALIVE, client.keepAliveSeconds());
        }
        if (assignedId) {
            properties.put(Property.ASSIGNED_CLIENT_ID, client.id());
        }
        properties.put(Property.RECEIVE_MAXIMUM, limits.receiveMaximum());
        properties.put(Property.MAXIMUM_PACKET_SIZE, limits.packetBytesMax());
        if (limits.topicAliasMaximum() > 0) {
            properties.put(Property.TOPIC_ALIAS_MAXIMUM, limits.topicAliasMaximum());
        }
        String response = client.wantsResponseInformation() && broker != null ? responsePrefix(broker) : null;
        if (response != null) {
            properties.put(Property.RESPONSE_INFORMATION, response);
        }
        return properties;
    }

    /** Where the client may take responses, null if nowhere. */
    private @Nullable String responsePrefix(BrokerSession broker) {
        String pattern = options.responseTopicPrefix();
        String user = client.user();
        boolean nobody = pattern.contains("%u") && (user == null || !isLevel(user));
        if (pattern.isEmpty() || nobody || (pattern.contains("%c") && !isLevel(client.id()))) {
            return null;
        }
        String prefix = pattern.replace("%c", client.id()).replace("%u", user == null ? "" : user);
        try {
            broker.requireRead(Topics.EXCHANGE, TopicNames.swap(prefix + (prefix.endsWith("/") ? "#" : "/#")));
            return prefix;
        } catch (BrokerException refused) {
            return null;
        }
    }

    /** A name with separators or wildcards in it would mean something else in a topic. */
    private static boolean isLevel(String name) {
        return Topics.isName(name) && name.indexOf('/') < 0;
    }
}
