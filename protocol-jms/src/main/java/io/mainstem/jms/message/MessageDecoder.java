package io.mainstem.jms.message;

import io.mainstem.jms.destination.AmqpAddresses;
import io.mainstem.jms.destination.MainstemDestination;
import io.mainstem.jms.message.section.AmqpValues;
import io.mainstem.jms.message.section.Annotations;
import io.mainstem.jms.message.section.MessageIds;
import io.mainstem.jms.message.section.ReceivedBody;
import io.mainstem.jms.message.section.ReceivedProperties;
import io.mainstem.jms.message.section.SectionCodec;
import io.mainstem.jms.message.section.Sections;
import jakarta.jms.MessageFormatException;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.Date;
import java.util.Map;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.messaging.MessageAnnotations;
import org.apache.qpid.proton.amqp.messaging.Properties;
import org.jspecify.annotations.Nullable;

/** Sections as a message: its type, its headers; properties and body wait until they are asked for. Thread: any. */
final class MessageDecoder {
    private final EmptyMessages empty;
    private final InstantSource clock;

    MessageDecoder(EmptyMessages empty, InstantSource clock) {
        this.empty = empty;
        this.clock = clock;
    }

    JmsMessage decode(EncodedMessage encoded, DeliveryInfo arrival) throws MessageFormatException {
        Sections sections = Sections.of(encoded.sections());
        Map<?, ?> annotations = annotations(sections.annotations());
        Properties properties = properties(sections.properties());
        Symbol contentType = properties.getContentType();
        ReceivedBody body = new ReceivedBody(sections.body(), contentType == null ? null : contentType.toString());
        MessageKind kind = BodyKinds.kindOf(MessageKind.of(annotations.get(Annotations.MESSAGE_KIND)), body);
        JmsMessage message = empty.of(kind);
        message.arrived(
                headers(encoded, arrival, annotations, properties),
                body,
                new ReceivedProperties(
                        sections.applicationProperties(), properties, annotations, arrival.deliveryCount()));
        return message;
    }

    private ReceivedHeaders headers(
            EncodedMessage encoded, DeliveryInfo arrival, Map<?, ?> annotations, Properties properties) {
        long timestampMs = msOf(properties.getCreationTime());
        Date expiry = properties.getAbsoluteExpiryTime();
        long expirationMs = expiry != null ? msOf(expiry) : encoded.ttlMs() > 0 ? clock.millis() + encoded.ttlMs() : 0;
        Long deliveryTimeMs = AmqpValues.toProperty(annotations.get(Annotations.DELIVERY_TIME)) instanceof Long time
                ? time
                : (Long) timestampMs;
        MainstemDestination replyTo = AmqpAddresses.destination(
                properties.getReplyTo(),
                annotations.get(Annotations.REPLY_TO_KIND),
                arrival.consumer().kind());
        MainstemDestination to = AmqpAddresses.destination(
                properties.getTo(),
                annotations.get(Annotations.DESTINATION_KIND),
                arrival.consumer().kind());
        return new ReceivedHeaders(
                MessageIds.messageIdOf(properties.getMessageId()),
                MessageIds.correlationIdOf(properties.getCorrelationId()),
                to == null ? arrival.consumer() : to,
                replyTo,
                properties.getSubject(),
                timestampMs,
                expirationMs,
                deliveryTimeMs,
                encoded.durable(),
                encoded.priority(),
                arrival);
    }

    private static long msOf(@Nullable Date time) {
        return time == null ? 0 : AmqpValues.msOf(time);
    }

    private static Map<?, ?> annotations(@Nullable ByteBuffer section) throws MessageFormatException {
        if (section == null) {
            return Map.of();
        }
        Map<?, ?> map = SectionCodec.read(section, MessageAnnotations.class, "message-annotations")
                .getValue();
        return map == null ? Map.of() : map;
    }

    private static Properties properties(@Nullable ByteBuffer section) throws MessageFormatException {
        return section == null ? new Properties() : SectionCodec.read(section, Properties.class, "properties");
    }
}
