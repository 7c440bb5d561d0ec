package io.mainstem.mqtt.wire;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Packets as clients send them, checked for everything that can be seen in one packet alone. */
public sealed interface Packet {
    /**
     * First packet of a connection.
     *
     * @param keepAlive seconds, 0 = off
     */
    record Connect(
            Version version,
            boolean cleanStart,
            int keepAlive,
            String clientId,
            @Nullable Will will,
            @Nullable String user,
            byte @Nullable [] password,
            Properties properties)
            implements Packet {}

    /** What the server publishes if the connection ends without goodbye. */
    record Will(String topic, byte[] payload, int qos, boolean retain, Properties properties) {}

    /** @param packetId 0 with QoS 0 */
    record Publish(
            boolean dup, int qos, boolean retain, String topic, int packetId, Properties properties, byte[] payload)
            implements Packet {}

    /** PUBACK, PUBREC, PUBREL or PUBCOMP. */
    record Ack(PacketType type, int packetId, int reason, Properties properties) implements Packet {}

    /** @param filters at least one */
    record Subscribe(int packetId, List<Filter> filters, Properties properties) implements Packet {}

    /** One filter with its options; those that only 5.0 has are off in 3.x. */
    record Filter(String text, int qos, boolean noLocal, boolean retainAsPublished, int retainHandling) {
        /** The same with another text. */
        public Filter as(String other) {
            return new Filter(other, qos, noLocal, retainAsPublished, retainHandling);
        }
    }

    /** @param filters at least one */
    record Unsubscribe(int packetId, List<String> filters, Properties properties) implements Packet {}

    /** PINGREQ. */
    record Ping() implements Packet {}

    /** Goodbye. */
    record Disconnect(int reason, Properties properties) implements Packet {}

    /** A step of enhanced authentication. */
    record Auth(int reason, Properties properties) implements Packet {}
}
