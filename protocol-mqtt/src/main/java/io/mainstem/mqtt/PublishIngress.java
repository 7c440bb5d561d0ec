package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.Properties;
import io.mainstem.mqtt.wire.Properties.UserProperty;
import io.mainstem.mqtt.wire.Property;
import io.mainstem.mqtt.wire.Version;
import io.mainstem.routing.message.AmqpValueWriter;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.SectionOffsets;
import io.mainstem.routing.topology.TopicNames;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Makes a canonical message of a PUBLISH or a will (mapping 3): sections of AMQP, and an envelope. Thread: any. */
final class PublishIngress {
    /** Annotations that keep what AMQP has no place for [mapping 3.5]; no client may set them [M-8]. */
    static final String PFI = "x-opt-mqtt-pfi";

    static final String CONTENT_TYPE = "x-opt-mqtt-content-type";
    static final String USER_PROPERTIES = "x-opt-mqtt-user-props";

    private static final int PIECE_BYTES_MAX = 1 << 20;
    private static final int DATA = 0x75;
    private static final int TOPIC_KIND = 1;
    private static final int QUEUE_KIND = 0;
    private static final int TEXT_MESSAGE = 5;

    private PublishIngress() {}

    /**
     * What is common to the messages of a connection.
     *
     * @param clientId for no local
     */
    record Publisher(
            Version version, String clientId, @Nullable String user, TopicMapping mapping) {
        Publisher(Client client, TopicMapping mapping) {
            this(client.version(), client.id(), client.user(), mapping);
        }
    }

    /** Where a message goes. */
    record Place(String exchange, String key) {
        /** @param queue the queue that the topic stands for, or null */
        static Place of(String topic, @Nullable String queue) {
            return queue == null ? new Place(Topics.EXCHANGE, TopicNames.swap(topic)) : new Place("", queue);
        }

        boolean isTopic() {
            return !exchange.isEmpty();
        }
    }

    /**
     * The message as it is stored.
     *
     * @param payload kept
     */
    static Message message(
            Publisher publisher,
            Place place,
            int qos,
            boolean retain,
            Properties properties,
            byte[] payload,
            long nowMs) {
        AmqpValueWriter head = new AmqpValueWriter();
        boolean topic = place.isTopic();
        annotations(head, properties, topic);
        int propertiesAt = head.size();
        properties(head, properties, place, publisher.mapping());
        int userAt = properties.user().isEmpty() ? -1 : head.size();
        userProperties(head, properties);
        int bodyAt = head.size();
        long expiry = properties.number(Property.MESSAGE_EXPIRY, -1);
        Envelope envelope = new Envelope(
                place.exchange(),
                List.of(place.key()),
                qos > 0,
                -1,
                nowMs,
                expiry < 0 ? -1 : expiry * 1000,
                expiry < 0 ? 0 : nowMs + expiry * 1000,
                0,
                publisher.clientId(),
                publisher.user(),
                publisher.version().hasProperties() ? Envelope.Origin.MQTT_5 : Envelope.Origin.MQTT_3,
                qos,
                retain,
                new SectionOffsets(0, propertiesAt, userAt, bodyAt, -1, DATA),
                List.of());
        return new Message(envelope, sections(head, payload));
    }

    /** One data section; the payload follows its length as it is, in pieces that the store takes. */
    private static List<byte[]> sections(AmqpValueWriter head, byte[] payload) {
        byte[] section = dataHeader(payload.length);
        byte[] before = head.toByteArray();
        int own = before.length + section.length;
        if (own + payload.length <= PIECE_BYTES_MAX) {
            byte[] all = Arrays.copyOf(before, own + payload.length);
            System.arraycopy(section, 0, all, before.length, section.length);
            System.arraycopy(payload, 0, all, own, payload.length);
            return List.of(all);
        }
        List<byte[]> pieces = new ArrayList<>();
        byte[] first = Arrays.copyOf(before, own);
        System.arraycopy(section, 0, first, before.length, section.length);
        pieces.add(first);
        for (int from = 0; from < payload.length; from += PIECE_BYTES_MAX) {
            pieces.add(Arrays.copyOfRange(payload, from, Math.min(payload.length, from + PIECE_BYTES_MAX)));
        }
        return pieces;
    }

    private static byte[] dataHeader(int bytes) {
        return bytes < 256
                ? new byte[] {0, 0x53, DATA, (byte) 0xa0, (byte) bytes}
                : ByteBuffer.allocate(8)
                        .put(new byte[] {0, 0x53, DATA, (byte) 0xb0})
                        .putInt(bytes)
                        .array();
    }

    private static void annotations(AmqpValueWriter out, Properties properties, boolean topic) {
        AmqpValueWriter entries = new AmqpValueWriter();
        int pairs = 1;
        entries.symbol("x-opt-jms-dest").value((byte) (topic ? TOPIC_KIND : QUEUE_KIND));
        if (!properties.isEmpty()) {
            if (properties.number(Property.PAYLOAD_FORMAT, 0) == 1) {
                entries.symbol(PFI).ubyte(1);
                entries.symbol("x-opt-jms-msg-type").value((byte) TEXT_MESSAGE);
                pairs += 2;
            }
            String reply = properties.text(Property.RESPONSE_TOPIC);
            if (reply != null) {
                entries.symbol("x-opt-jms-reply-to")
                        .value((byte) (Topics.queue(reply) == null ? TOPIC_KIND : QUEUE_KIND));
                pairs++;
            }
            String contentType = properties.text(Property.CONTENT_TYPE);
            if (contentType != null && !isAscii(contentType)) {
                entries.symbol(CONTENT_TYPE).value(contentType);
                pairs++;
            }
            if (repeats(properties.user())) {
                List<String> flat = new ArrayList<>();
                properties.user().forEach(each -> flat.addAll(List.of(each.name(), each.value())));
                entries.symbol(USER_PROPERTIES).value(flat);
                pairs++;
            }
        }
        out.descriptor(0x72).map(pairs, entries);
    }

    /** {@code to} is where it was published, so that JMS sees a destination. */
    private static void properties(AmqpValueWriter out, Properties properties, Place place, TopicMapping mapping) {
        AmqpValueWriter fields = new AmqpValueWriter();
        fields.nothing().nothing().value(Addresses.plain(place.key(), place.isTopic()));
        int count = 3;
        if (!properties.isEmpty()) {
            fields.nothing();
            String reply = properties.text(Property.RESPONSE_TOPIC);
            fields.value(reply == null ? null : replyTo(mapping.name(reply)));
            byte[] correlation = properties.bytes(Property.CORRELATION_DATA);
            fields.value(correlation == null ? null : correlationId(correlation));
            count = 6;
            String contentType = properties.text(Property.CONTENT_TYPE);
            if (contentType != null && isAscii(contentType)) {
                fields.symbol(contentType);
                count = 7;
            }
        }
        out.descriptor(0x73).list(count, fields);
    }

    private static String replyTo(String responseTopic) {
        String queue = Topics.queue(responseTopic);
        return queue == null ? Addresses.plain(TopicNames.swap(responseTopic), true) : Addresses.plain(queue, false);
    }

    /** [M-1]: a type other than binary only where the bytes come back the same. */
    private static Object correlationId(byte[] data) {
        String text = utf8(data);
        if (text == null || hasControls(text)) {
            return data;
        }
        UUID uuid = uuid(text);
        return uuid == null ? text : uuid;
    }

    private static @Nullable UUID uuid(String text) {
        if (text.length() != 45 || !text.startsWith("urn:uuid:")) {
            return null;
        }
        try {
            UUID uuid = UUID.fromString(text.substring(9));
            return text.substring(9).equals(uuid.toString()) ? uuid : null;
        } catch (IllegalArgumentException notOne) {
            return null;
        }
    }

    /** [M-7]: the first of several with one name. */
    private static void userProperties(AmqpValueWriter out, Properties properties) {
        if (properties.user().isEmpty()) {
            return;
        }
        AmqpValueWriter entries = new AmqpValueWriter();
        Set<String> names = new HashSet<>();
        for (UserProperty each : properties.user()) {
            if (names.add(each.name())) {
                entries.value(each.name()).value(each.value());
            }
        }
        out.descriptor(0x74).map(names.size(), entries);
    }

    private static boolean repeats(List<UserProperty> user) {
        Set<String> names = new HashSet<>();
        for (UserProperty each : user) {
            if (!names.add(each.name())) {
                return true;
            }
        }
        return false;
    }

    private static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) >= 0x80) {
                return false;
            }
        }
        return true;
    }

    private static boolean hasControls(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isISOControl(text.charAt(i))) {
                return true;
            }
        }
        return false;
    }

    /** The text, or null if the bytes are not UTF-8. */
    static @Nullable String utf8(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException binary) {
            return null;
        }
    }
}
