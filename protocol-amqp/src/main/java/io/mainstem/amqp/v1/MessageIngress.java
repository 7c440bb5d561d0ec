package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.routing.ClientInfo;
import io.mainstem.routing.message.AmqpValueReader;
import io.mainstem.routing.message.BrokerAnnotations;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.MalformedMessageException;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.MessageHeader;
import io.mainstem.routing.message.MessageProperties;
import io.mainstem.routing.message.PublishId;
import io.mainstem.routing.message.SectionScanner;
import io.mainstem.routing.message.SectionScanner.BareMessage;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.jspecify.annotations.Nullable;

/**
 * Makes a canonical message of what a peer sent: header and delivery-annotations off [D-2], broker-owned annotations off
 * [M-8], all else byte for byte [D-1], and an envelope [D-3], [M-4]. Thread: the connection's event loop.
 */
final class MessageIngress {
    private static final String JMS_DESTINATION = "x-opt-jms-dest";
    private static final String DELIVERY_TIME = "x-opt-delivery-time";
    private static final String DELIVERY_DELAY = "x-opt-delivery-delay";
    private static final String CC = "x-cc";
    /** Each is routed on its own. */
    private static final int CC_KEYS_MAX = 1024;

    private final ClientInfo client;
    private final InstantSource clock;
    private final SectionPeek peek = new SectionPeek();

    MessageIngress(ClientInfo client, InstantSource clock) {
        this.client = client;
        this.clock = clock;
    }

    /**
     * Reads a payload; the other methods are then about this message.
     *
     * @param header what the header section said, or null if it is still part of the payload
     * @param payload kept
     * @throws AmqpException decode-error for the link
     */
    BareMessage parse(@Nullable MessageHeader header, List<byte[]> payload) {
        if (header == null && payload.get(0).length == 0) {
            throw AmqpException.link(AmqpError.DECODE_ERROR, "MS-0505 delivery without any section");
        }
        try {
            BareMessage message = header == null ? SectionScanner.split(payload) : bare(header, payload);
            SectionScanner.checkProperties(message);
            peek(message);
            if (peek.otherAnnotations() || !peek.complete()) {
                BareMessage stripped = BrokerAnnotations.strip(message);
                peek(stripped);
                return stripped;
            }
            return message;
        } catch (MalformedMessageException malformed) {
            throw AmqpException.link(AmqpError.DECODE_ERROR, String.valueOf(malformed.getMessage()));
        }
    }

    private static BareMessage bare(MessageHeader header, List<byte[]> payload) {
        List<byte[]> sections = payload.get(0).length == 0 ? List.of() : payload;
        return new BareMessage(header, sections, SectionScanner.scan(sections).offsets());
    }

    /** Makes this message again the one that the methods below are about, after others were parsed. */
    void peek(BareMessage message) {
        List<byte[]> sections = message.sections();
        byte[] first = sections.isEmpty() ? new byte[0] : sections.get(0);
        long bytes = 0;
        for (byte[] piece : sections) {
            bytes += piece.length;
        }
        peek.read(first, (int) bytes, message.offsets());
    }

    /** {@code properties.to}, or null. */
    @Nullable
    String to(BareMessage message) {
        return peek.complete() ? peek.to() : properties(message).to();
    }

    /** What {@code x-opt-jms-dest} says, or null. */
    Address.@Nullable Kind jmsDestination(BareMessage message) {
        if (peek.complete()) {
            return Address.Kind.ofByte(peek.jmsDestination());
        }
        Object value = annotations(message).get(JMS_DESTINATION);
        return value instanceof Number code ? Address.Kind.ofByte(code.intValue()) : null;
    }

    /**
     * @param keys the first routing key alone
     * @throws AmqpException for the link, if the message claims another user or its annotations are invalid
     */
    Message build(BareMessage message, String exchange, List<String> keys) {
        checkUser(message);
        long now = clock.millis();
        MessageHeader header = message.header();
        List<String> allKeys = keys;
        long deliverAtMs = 0;
        boolean retain = false;
        PublishId publishId = null;
        BareMessage kept = message;
        if (peek.otherAnnotations() || !peek.complete()) {
            Map<String, @Nullable Object> annotations = annotations(message);
            allKeys = withCc(keys, annotations.get(CC));
            deliverAtMs = deliverAt(annotations, now);
            retain = Boolean.TRUE.equals(annotations.get("x-opt-retain"));
            publishId = PublishIds.of(annotations);
            if (publishId instanceof PublishId.Sequence) {
                kept = PublishIds.withoutProducer(message);
            }
        }
        return new Message(
                new Envelope(
                        exchange,
                        allKeys,
                        header.durable(),
                        header.priority(),
                        now,
                        header.ttlMs(),
                        expireAt(message, now),
                        deliverAtMs,
                        client.clientId(),
                        client.user(),
                        Envelope.Origin.AMQP_1_0,
                        0,
                        retain,
                        kept.offsets(),
                        List.of()),
                kept.sections(),
                publishId);
    }

    /** [M-3], where there is an authenticated user to compare with. */
    private void checkUser(BareMessage message) {
        String user = client.user();
        if (user == null) {
            return;
        }
        String claimed;
        if (peek.complete()) {
            claimed = peek.userId();
        } else {
            byte[] bytes = properties(message).userId();
            claimed = bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
        }
        if (claimed != null && !claimed.equals(user)) {
            throw AmqpException.link(
                    AmqpError.UNAUTHORIZED_ACCESS,
                    "MS-0508 message with user-id '" + claimed + "' from user '" + user + "'");
        }
    }

    /** [M-4]: ttl wins over the absolute time, because clocks differ. */
    private long expireAt(BareMessage message, long now) {
        if (message.header().ttlMs() >= 0) {
            return now + message.header().ttlMs();
        }
        long absolute =
                peek.complete() ? peek.absoluteExpiryMs() : properties(message).absoluteExpiryMs();
        // Before 1970 is long ago, too; 0 stands for never.
        return absolute < 0 ? 1 : absolute;
    }

    private static long deliverAt(Map<String, @Nullable Object> annotations, long now) {
        Object time = annotations.get(DELIVERY_TIME);
        if (time instanceof Instant instant) {
            return within(instant.toEpochMilli());
        }
        if (time != null) {
            return within(milliseconds(DELIVERY_TIME, time));
        }
        Object delay = annotations.get(DELIVERY_DELAY);
        return delay == null ? 0 : within(now + within(milliseconds(DELIVERY_DELAY, delay)));
    }

    /** A time before 1970 is over, one beyond what the schedule knows is the last that it knows. */
    private static long within(long ms) {
        return Math.max(0, Math.min(ms, Envelope.DELIVER_AT_MS_MAX));
    }

    private static long milliseconds(String annotation, Object value) {
        if (value instanceof Long ms) {
            return ms;
        }
        if (value instanceof BigInteger) {
            return Long.MAX_VALUE;
        }
        throw AmqpException.link(
                AmqpError.INVALID_FIELD,
                "MS-0590 annotation " + annotation + " is no number of milliseconds: " + value
                        + " fix: send a long, or for a time a timestamp.");
    }

    /** */
    private static List<String> withCc(List<String> keys, @Nullable Object cc) {
        if (cc == null) {
            return keys;
        }
        List<String> all = new ArrayList<>(keys);
        if (!(cc instanceof List<?> more)) {
            throw AmqpException.link(AmqpError.INVALID_FIELD, "MS-0505 annotation x-cc is no list of strings");
        }
        if (more.size() > CC_KEYS_MAX) {
            throw AmqpException.link(
                    AmqpError.RESOURCE_LIMIT_EXCEEDED,
                    "MS-0505 annotation x-cc of " + more.size() + " keys (expected: at most " + CC_KEYS_MAX
                            + ") fix: send the message more than once, or bind one exchange to the queues");
        }
        for (Object key : more) {
            if (!(key instanceof String text)) {
                throw AmqpException.link(AmqpError.INVALID_FIELD, "MS-0505 annotation x-cc is no list of strings");
            }
            all.add(text);
        }
        return all;
    }

    private static MessageProperties properties(BareMessage message) {
        return MessageProperties.read(message.sections(), message.offsets());
    }

    private static Map<String, @Nullable Object> annotations(BareMessage message) {
        return AmqpValueReader.messageAnnotations(message.sections(), message.offsets());
    }
}
