package io.mainstem.jms.message;

import io.mainstem.jms.destination.MainstemDestination;
import io.mainstem.jms.message.section.AmqpValues;
import io.mainstem.jms.message.section.Annotations;
import io.mainstem.jms.message.section.ForwardedAnnotations;
import io.mainstem.jms.message.section.GrowingBuffer;
import io.mainstem.jms.message.section.MessageIds;
import io.mainstem.jms.message.section.ReceivedBody;
import io.mainstem.jms.message.section.SectionCodec;
import io.mainstem.jms.message.value.MessageErrors;
import io.mainstem.jms.message.value.PropertyNames;
import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.MessageFormatException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.ApplicationProperties;
import org.apache.qpid.proton.amqp.messaging.MessageAnnotations;
import org.apache.qpid.proton.amqp.messaging.Properties;
import org.apache.qpid.proton.amqp.messaging.Section;
import org.jspecify.annotations.Nullable;

/** A message as AMQP sections, byte for byte what Qpid JMS would make of it ([D-1], [mapping 4]). Thread: any. */
final class MessageEncoder {
    private static final int SECTIONS_BYTES = 512;
    private static final long TTL_MAX = 0xffff_ffffL;

    private final @Nullable String userId;

    /** @param userId stamped on every message as JMSXUserID; null: none */
    MessageEncoder(@Nullable String userId) {
        this.userId = userId;
    }

    /** @throws MessageFormatException if something in it has no AMQP form, such as text with half a character */
    EncodedMessage encode(JmsMessage message, SendHeaders headers) throws JMSException {
        GrowingBuffer target = new GrowingBuffer(SECTIONS_BYTES);
        Map<String, @Nullable Object> all = message.properties().all();
        try {
            SectionCodec.write(target, annotations(message, headers, all), properties(message, headers, all));
            Map<String, @Nullable Object> own = applicationProperties(all);
            if (!own.isEmpty()) {
                SectionCodec.write(target, new ApplicationProperties(own));
            }
            writeBody(message, target);
        } catch (IllegalArgumentException notEncodable) {
            throw MessageErrors.malformed("content", notEncodable);
        }
        long ttlMs = all.get(PropertyNames.TTL) instanceof Long override ? override : headers.timeToLiveMs();
        return new EncodedMessage(
                headers.deliveryMode() == DeliveryMode.PERSISTENT,
                headers.priority(),
                ttlMs > TTL_MAX ? 0 : ttlMs,
                target.finished());
    }

    private static void writeBody(JmsMessage message, GrowingBuffer target) throws JMSException {
        ReceivedBody received = message.received();
        if (received == null) {
            SectionCodec.write(target, message.bodySections().toArray(Section[]::new));
            return;
        }
        for (ByteBuffer section : received.sections()) {
            target.put(section.duplicate());
        }
    }

    private static MessageAnnotations annotations(
            JmsMessage message, SendHeaders headers, Map<String, @Nullable Object> all) {
        Map<Symbol, Object> map = new LinkedHashMap<>();
        ForwardedAnnotations.add(message.annotations(), map);
        map.put(Annotations.MESSAGE_KIND, message.kind().code());
        map.put(Annotations.DESTINATION_KIND, headers.destination().kind().code());
        if (message.getJMSReplyTo() instanceof MainstemDestination replyTo) {
            map.put(Annotations.REPLY_TO_KIND, replyTo.kind().code());
        }
        if (headers.delayed()) {
            map.put(Annotations.DELIVERY_TIME, headers.deliveryTimeMs());
        }
        if (all.get(PropertyNames.APP_ID) instanceof String appId) {
            map.put(Annotations.APP_ID, appId);
        }
        SendHeaders.ProducerSequence producer = headers.producer();
        if (producer != null) {
            map.put(Annotations.PRODUCER_ID, producer.id());
            map.put(Annotations.PRODUCER_SEQUENCE, producer.sequence());
        }
        return new MessageAnnotations(map);
    }

    private Properties properties(JmsMessage message, SendHeaders headers, Map<String, @Nullable Object> all)
            throws JMSException {
        Properties properties = new Properties();
        properties.setMessageId(MessageIds.toAmqp(headers.messageId()));
        properties.setTo(headers.destination().address());
        properties.setSubject(message.getJMSType());
        if (message.getJMSReplyTo() instanceof MainstemDestination replyTo) {
            properties.setReplyTo(replyTo.address());
        }
        properties.setCorrelationId(MessageIds.toAmqp(message.getJMSCorrelationID()));
        ReceivedBody received = message.received();
        String contentType = received == null ? message.contentType() : received.contentType();
        if (contentType != null) {
            properties.setContentType(Symbol.valueOf(contentType));
        }
        if (headers.expirationMs() > 0) {
            properties.setAbsoluteExpiryTime(timeOf(headers.expirationMs()));
        }
        if (headers.timestampMs() > 0) {
            properties.setCreationTime(timeOf(headers.timestampMs()));
        }
        if (userId != null) {
            properties.setUserId(new Binary(userId.getBytes(StandardCharsets.UTF_8)));
        }
        properties.setGroupId((String) all.get(PropertyNames.GROUP_ID));
        if (all.get(PropertyNames.GROUP_SEQUENCE) instanceof Integer sequence) {
            properties.setGroupSequence(UnsignedInteger.valueOf(sequence));
        }
        properties.setReplyToGroupId((String) all.get(PropertyNames.REPLY_TO_GROUP_ID));
        return properties;
    }

    private static Date timeOf(long ms) {
        return Date.from(Instant.ofEpochMilli(ms));
    }

    /** Without those that stand elsewhere in the message, or that only a receiver sees. */
    private static Map<String, @Nullable Object> applicationProperties(Map<String, @Nullable Object> all) {
        Map<String, @Nullable Object> own = new LinkedHashMap<>();
        all.forEach((name, value) -> {
            if (!PropertyNames.isElsewhere(name)) {
                own.put(name, AmqpValues.toAmqp(value));
            }
        });
        return own;
    }
}
