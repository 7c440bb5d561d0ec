package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.PacketWriter;
import io.mainstem.mqtt.wire.Properties;
import io.mainstem.mqtt.wire.Property;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.message.Message;
import io.netty.buffer.ByteBuf;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes PUBLISH packets of deliveries: QoS, RETAIN, properties, topic aliases. Thread: the event loop. */
final class PublishOutput {
    private static final int DUP = 8;
    /** What a client's alias maximum can make the broker remember of it. */
    private static final int ALIASES_MAX = 64;

    private static final int ALIAS_CHARS_MAX = 64 << 10;

    private final MqttConnection connection;
    private final MqttProtocol protocol;
    private final Client client;
    private final PublishEgress egress;
    private final Map<String, Integer> aliases = new HashMap<>();
    private int aliasChars;

    PublishOutput(MqttConnection connection, MqttProtocol protocol, Client client) {
        this.connection = connection;
        this.protocol = protocol;
        this.client = client;
        this.egress = new PublishEgress(protocol.options().foreign());
    }

    /** A PUBLISH but for its packet id. */
    record Outgoing(String topic, int qos, boolean retain, Properties properties, byte[] payload) {}

    /** The packet, or null if the client takes none that large [MQTT-3.1.2-25]. */
    @Nullable
    Outgoing prepare(DeliverySource.Sending sending, Delivery delivery) {
        Message message = delivery.message();
        String topic = sending.topic(delivery);
        String seen = protocol.options().topicMapping().toClient(topic);
        SubscriptionSet.Match match = sending.match(topic, delivery);
        int published = PublishEgress.publishedQos(message.envelope());
        int qos = match.qos() < 0 ? published : Math.min(published, match.qos());
        boolean retain = message.envelope().retain() && match.retainAsPublished();
        PublishEgress.Payload payload = egress.payload(message);
        Properties properties = Properties.NONE;
        if (client.version().hasProperties()) {
            properties = egress.properties(message, payload, protocol.clock().millis());
            for (int id : match.ids()) {
                properties.addSubscriptionId(id);
            }
        }
        int size = PacketWriter.publishSize(client.version(), qos << 1, seen, properties, payload.bytes().length);
        if (size > client.packetBytesMax()) {
            protocol.statistics().publishDropped();
            connection.logRefusal("MS-0603 limit: a message of " + size + " bytes on '" + Topics.shown(topic)
                    + "' is not sent, the client takes " + client.packetBytesMax());
            return null;
        }
        return new Outgoing(seen, qos, retain, properties, payload.bytes());
    }

    /** Nothing could be made of a delivery. */
    void unmappable(Delivery delivery, RuntimeException why) {
        protocol.statistics().publishUnmappable();
        connection.logRefusal("MS-0622 a message with key '"
                + Topics.shown(delivery.message().envelope().routingKey()) + "' cannot be sent and is given up: "
                + why);
    }

    void write(Outgoing outgoing, int packetId, boolean dup) {
        int flags = (dup ? DUP : 0) | outgoing.qos() << 1 | (outgoing.retain() ? 1 : 0);
        String topic = aliased(outgoing);
        ByteBuf out = connection.output().buffer();
        PacketWriter.publish(
                out, client.version(), flags, topic, packetId, outgoing.properties(), outgoing.payload().length);
        out.writeBytes(outgoing.payload());
        connection.output().appended();
        protocol.statistics().publishSent(outgoing.payload().length);
    }

    /** The first topics get the aliases the client allows, as far as they are remembered; the topic itself goes only with the first use. */
    private String aliased(Outgoing outgoing) {
        if (client.topicAliasMaximum() == 0) {
            return outgoing.topic();
        }
        Integer known = aliases.get(outgoing.topic());
        // The alias makes the packet three bytes longer than it was found to be, but for the topic that it stands for.
        boolean fits = PacketWriter.publishSize(
                                client.version(),
                                outgoing.qos() << 1,
                                outgoing.topic(),
                                outgoing.properties(),
                                outgoing.payload().length)
                        + 4
                <= client.packetBytesMax();
        if (known != null && fits) {
            outgoing.properties().put(Property.TOPIC_ALIAS, known);
            return "";
        }
        int next = aliases.size() + 1;
        boolean room = known == null
                && next <= Math.min(client.topicAliasMaximum(), ALIASES_MAX)
                && aliasChars + outgoing.topic().length() <= ALIAS_CHARS_MAX;
        if (room && fits) {
            aliases.put(outgoing.topic(), next);
            aliasChars += outgoing.topic().length();
            outgoing.properties().put(Property.TOPIC_ALIAS, next);
        }
        return outgoing.topic();
    }
}
