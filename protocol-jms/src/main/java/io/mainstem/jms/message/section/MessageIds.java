package io.mainstem.jms.message.section;

import io.mainstem.jms.message.value.MessageErrors;
import jakarta.jms.JMSException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;
import java.util.UUID;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.UnsignedLong;
import org.jspecify.annotations.Nullable;

/**
 * JMS ids and the four AMQP types of ids, both ways without loss ([mapping 4.8], as Qpid JMS does it): a type other
 * than string, and a string that only looks like one, is named by a prefix behind {@code ID:}.
 */
public final class MessageIds {
    private static final String ID = "ID:";
    private static final String UUID_PREFIX = "ID:AMQP_UUID:";
    private static final String ULONG_PREFIX = "ID:AMQP_ULONG:";
    private static final String BINARY_PREFIX = "ID:AMQP_BINARY:";
    private static final String STRING_PREFIX = "ID:AMQP_STRING:";
    private static final String NO_PREFIX = "ID:AMQP_NO_PREFIX:";
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private MessageIds() {}

    /** {@code JMSMessageID}: always begins with {@code ID:}. */
    public static @Nullable String messageIdOf(@Nullable Object amqp) {
        if (amqp instanceof String text && !text.startsWith(ID)) {
            return NO_PREFIX + text;
        }
        return textOf(amqp);
    }

    /** {@code JMSCorrelationID}: a string of the application's own stays as it is. */
    public static @Nullable String correlationIdOf(@Nullable Object amqp) {
        return textOf(amqp);
    }

    private static @Nullable String textOf(@Nullable Object amqp) {
        if (amqp == null) {
            return null;
        }
        if (amqp instanceof UUID uuid) {
            return UUID_PREFIX + uuid;
        }
        if (amqp instanceof UnsignedLong number) {
            return ULONG_PREFIX + number;
        }
        if (amqp instanceof Binary binary) {
            return BINARY_PREFIX
                    + HEX.formatHex(
                            binary.getArray(), binary.getArrayOffset(), binary.getArrayOffset() + binary.getLength());
        }
        String text = amqp.toString();
        return isPrefixed(text) ? STRING_PREFIX + text : text;
    }

    private static boolean isPrefixed(String text) {
        return text.startsWith(UUID_PREFIX)
                || text.startsWith(ULONG_PREFIX)
                || text.startsWith(BINARY_PREFIX)
                || text.startsWith(STRING_PREFIX)
                || text.startsWith(NO_PREFIX);
    }

    /**
     * The AMQP value of a JMS id: String, UUID, UnsignedLong or Binary.
     *
     * @throws JMSException if what follows a prefix is not of the type it names
     */
    public static @Nullable Object toAmqp(@Nullable String id) throws JMSException {
        if (id == null || !id.startsWith(ID)) {
            return id;
        }
        if (id.startsWith(STRING_PREFIX)) {
            return id.substring(STRING_PREFIX.length());
        }
        if (id.startsWith(NO_PREFIX)) {
            return id.substring(NO_PREFIX.length());
        }
        if (id.startsWith(UUID_PREFIX)) {
            return uuid(id);
        }
        if (id.startsWith(ULONG_PREFIX)) {
            return unsignedLong(id);
        }
        return id.startsWith(BINARY_PREFIX) ? binary(id) : id;
    }

    private static UUID uuid(String id) throws JMSException {
        String text = id.substring(UUID_PREFIX.length());
        try {
            UUID uuid = UUID.fromString(text);
            if (uuid.toString().equals(text.toLowerCase(Locale.ROOT))) {
                return uuid;
            }
        } catch (IllegalArgumentException notOne) {
            throw MessageErrors.badId(id, "a UUID of 36 characters");
        }
        throw MessageErrors.badId(id, "a UUID of 36 characters");
    }

    private static UnsignedLong unsignedLong(String id) throws JMSException {
        try {
            return UnsignedLong.valueOf(Long.parseUnsignedLong(id.substring(ULONG_PREFIX.length())));
        } catch (NumberFormatException notOne) {
            throw MessageErrors.badId(id, "a number from 0 to 2^64-1");
        }
    }

    private static Binary binary(String id) throws JMSException {
        try {
            return new Binary(HexFormat.of().parseHex(id.substring(BINARY_PREFIX.length())));
        } catch (IllegalArgumentException notOne) {
            throw MessageErrors.badId(id, "hexadecimal digits, two a byte");
        }
    }

    /** For {@code setJMSCorrelationIDAsBytes}. */
    public static String ofBytes(byte[] bytes) {
        return BINARY_PREFIX + HEX.formatHex(bytes);
    }

    /** For {@code getJMSCorrelationIDAsBytes}: the bytes of a binary id, else the UTF-8 of its text. */
    public static byte @Nullable [] toBytes(@Nullable String id) throws JMSException {
        if (id == null) {
            return null;
        }
        if (id.startsWith(BINARY_PREFIX)) {
            Binary binary = binary(id);
            return binary.getArray();
        }
        return id.getBytes(StandardCharsets.UTF_8);
    }
}
