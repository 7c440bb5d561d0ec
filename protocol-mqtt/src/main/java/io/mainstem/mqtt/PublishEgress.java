package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.Properties;
import io.mainstem.mqtt.wire.Property;
import io.mainstem.routing.message.AmqpValueReader;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.MessageBody;
import io.mainstem.routing.message.MessageProperties;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What of a stored message goes into a PUBLISH (mapping 3), the same whatever the content [D-4]. Thread: any. */
final class PublishEgress {
    private static final String AMQP = "message/vnd.amqp-1.0";
    private static final String JSON = "application/json";
    private static final String TEXT = "text/plain;charset=utf-8";
    private static final int DATA = 0x75;
    private static final int VALUE = 0x77;
    private static final byte[] NOTHING = new byte[0];
    private static final int TEXT_BYTES_MAX = 65_535;

    private final ForeignMessages foreign;

    PublishEgress(ForeignMessages foreign) {
        this.foreign = foreign;
    }

    /**
     * A body.
     *
     * @param foreignType the content type it got here; null = what the message says
     */
    record Payload(byte[] bytes, @Nullable String foreignType) {
        /** Text of another protocol: UTF-8 by its nature. */
        boolean text() {
            return foreignType != null && !foreignType.equals(AMQP);
        }
    }

    /** QoS the message was published with [S-8]. */
    static int publishedQos(Envelope envelope) {
        return switch (envelope.origin()) {
            case MQTT_3, MQTT_5 -> envelope.publisherQos();
            case AMQP_1_0, AMQP_0_9_1, JMS_VM, BROKER ->
                Retained.isOne(envelope) ? envelope.publisherQos() : envelope.durable() ? 2 : 0;
        };
    }

    Payload payload(Message message) {
        MessageBody body = MessageBody.read(message);
        if (body.kind() == 0 || body.kind() == DATA) {
            return new Payload(body.data(), null);
        }
        if (body.kind() == VALUE) {
            Object value = body.value();
            if (value == null) {
                return new Payload(NOTHING, null);
            }
            if (value instanceof byte[] binary) {
                return new Payload(binary, null);
            }
            if (value instanceof String text) {
                return new Payload(text.getBytes(StandardCharsets.UTF_8), TEXT);
            }
        }
        return foreign.structuredBodiesAsJson()
                ? new Payload(JsonText.of(body.value()), JSON)
                : new Payload(body.data(), AMQP);
    }

    /** Properties of a PUBLISH to a 5.0 client, without alias and subscription identifiers. */
    Properties properties(Message message, Payload payload, long nowMs) {
        Envelope envelope = message.envelope();
        Properties out = new Properties();
        if (envelope.expireAtMs() > 0) {
            // Whole seconds, rounded up: a message that is sent has not expired [MQTT-3.3.2-6].
            long left = Math.max(1, (envelope.expireAtMs() - nowMs + 999) / 1000);
            if (left <= Client.NEVER) {
                out.put(Property.MESSAGE_EXPIRY, left);
            }
        }
        if (envelope.origin() == Envelope.Origin.MQTT_3) {
            return out;
        }
        MessageProperties properties = MessageProperties.read(message.sections(), envelope.offsets());
        Map<String, @Nullable Object> annotations =
                AmqpValueReader.messageAnnotations(message.sections(), envelope.offsets());
        if (payload.text() || annotations.get(PublishIngress.PFI) instanceof Long) {
            out.put(Property.PAYLOAD_FORMAT, 1);
        }
        putText(out, Property.CONTENT_TYPE, contentType(properties, annotations, payload));
        if (properties.replyTo() != null) {
            putText(out, Property.RESPONSE_TOPIC, responseTopic(properties.replyTo(), annotations));
        }
        byte[] correlation = correlation(properties.correlationId());
        if (correlation != null && correlation.length <= TEXT_BYTES_MAX) {
            out.put(Property.CORRELATION_DATA, correlation);
        }
        userProperties(out, message, annotations);
        if (!foreign.exposedAnnotations().isEmpty()) {
            exposeAnnotations(out, message);
        }
        return out;
    }

    private static @Nullable String contentType(
            MessageProperties properties, Map<String, @Nullable Object> annotations, Payload payload) {
        String type = payload.foreignType();
        if (type != null && !type.equals(TEXT)) {
            return type;
        }
        if (annotations.get(PublishIngress.CONTENT_TYPE) instanceof String own) {
            return own;
        }
        if (properties.contentType() != null) {
            return properties.contentType();
        }
        return type;
    }

    private static @Nullable String responseTopic(String replyTo, Map<String, @Nullable Object> annotations) {
        // 0 and 2 are queues, 1 and 3 topics (mapping 4.9).
        boolean topic = annotations.get("x-opt-jms-reply-to") instanceof Long kind && (kind == 1 || kind == 3);
        return Addresses.responseTopic(replyTo, topic);
    }

    private static byte @Nullable [] correlation(@Nullable Object id) {
        if (id instanceof byte[] bytes) {
            return bytes;
        }
        if (id instanceof UUID uuid) {
            return ("urn:uuid:" + uuid).getBytes(StandardCharsets.US_ASCII);
        }
        return id instanceof String || id instanceof Long || id instanceof BigInteger
                ? id.toString().getBytes(StandardCharsets.UTF_8)
                : null;
    }

    private static void userProperties(Properties out, Message message, Map<String, @Nullable Object> annotations) {
        if (annotations.get(PublishIngress.USER_PROPERTIES) instanceof List<?> flat) {
            for (int i = 0; i + 1 < flat.size(); i += 2) {
                out.addUser(String.valueOf(flat.get(i)), String.valueOf(flat.get(i + 1)));
            }
            return;
        }
        AmqpValueReader.shownMap(
                        message.sections(), message.envelope().offsets().applicationProperties())
                .forEach((name, value) -> addUser(out, name, value));
    }

    private void exposeAnnotations(Properties out, Message message) {
        Map<String, @Nullable Object> all = AmqpValueReader.shownMap(
                message.sections(), message.envelope().offsets().messageAnnotations());
        for (String name : foreign.exposedAnnotations()) {
            if (all.containsKey(name)) {
                addUser(out, name, all.get(name));
            }
        }
    }

    private static void addUser(Properties out, String name, @Nullable Object value) {
        String text = text(value);
        if (text != null && isText(text) && isText(name)) {
            out.addUser(name, text);
        }
    }

    /** Mapping 3.3; null = omitted. */
    static @Nullable String text(@Nullable Object value) {
        if (value == null) {
            return "";
        }
        if (value instanceof Instant time) {
            return Long.toString(time.toEpochMilli());
        }
        if (value instanceof AmqpValueReader.Decimal decimal) {
            return decimal.text();
        }
        boolean scalar =
                value instanceof String || value instanceof Number || value instanceof Boolean || value instanceof UUID;
        return scalar ? value.toString() : null;
    }

    private static void putText(Properties out, Property property, @Nullable String text) {
        if (text != null && isText(text)) {
            out.put(property, text);
        }
    }

    /** True if it can be an MQTT string: no NUL, no lone surrogate, not too long. */
    private static boolean isText(String text) {
        return text.indexOf(0) < 0
                && (text.length() <= TEXT_BYTES_MAX / 3
                        || text.getBytes(StandardCharsets.UTF_8).length <= TEXT_BYTES_MAX)
                && StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }
}
