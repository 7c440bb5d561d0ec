package io.mainstem.routing.message;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The AMQP 1.0 properties section (part 3, 3.2.4). A field of a type that it must not have reads as absent [D-4].
 *
 * @param messageId Long, BigInteger, UUID, byte[] or String
 * @param to address as text
 * @param correlationId as {@code messageId}
 * @param absoluteExpiryMs epoch ms, or 0 if absent
 * @param creationMs epoch ms, or 0 if absent
 * @param groupSequence 0 to 2^32 - 1, or -1 if absent
 */
public record MessageProperties(
        @Nullable Object messageId,
        byte @Nullable [] userId,
        @Nullable String to,
        @Nullable String subject,
        @Nullable String replyTo,
        @Nullable Object correlationId,
        @Nullable String contentType,
        @Nullable String contentEncoding,
        long absoluteExpiryMs,
        long creationMs,
        @Nullable String groupId,
        long groupSequence,
        @Nullable String replyToGroupId) {

    private static final MessageProperties ABSENT =
            new MessageProperties(null, null, null, null, null, null, null, null, 0, 0, null, -1, null);

    /**
     * Reads the section, or gives one with every field absent.
     *
     * @param sections as in {@link Message#sections}
     * @throws MalformedMessageException if the offset points at no properties section; never after
     *     {@link SectionScanner} has let the message through
     */
    public static MessageProperties read(List<byte[]> sections, SectionOffsets offsets) {
        if (offsets.properties() < 0) {
            return ABSENT;
        }
        List<?> fields = AmqpValueReader.sectionList(new SectionBytes(sections), offsets.properties());
        return new MessageProperties(
                id(fields, 0),
                AmqpValueReader.field(fields, 1) instanceof byte[] user ? user : null,
                text(fields, 2),
                text(fields, 3),
                text(fields, 4),
                id(fields, 5),
                text(fields, 6),
                text(fields, 7),
                time(fields, 8),
                time(fields, 9),
                text(fields, 10),
                AmqpValueReader.field(fields, 11) instanceof Long sequence ? sequence : -1,
                text(fields, 12));
    }

    private static @Nullable Object id(List<?> fields, int index) {
        Object value = AmqpValueReader.field(fields, index);
        return value instanceof List || value instanceof Boolean ? null : value;
    }

    private static @Nullable String text(List<?> fields, int index) {
        return AmqpValueReader.field(fields, index) instanceof String text ? text : null;
    }

    private static long time(List<?> fields, int index) {
        return AmqpValueReader.field(fields, index) instanceof Instant instant ? instant.toEpochMilli() : 0;
    }
}
