package io.mainstem.routing.selector;

import java.math.BigInteger;
import java.util.HexFormat;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** AMQP ids as JMS programs see them [mapping 4.8]. */
final class JmsIds {
    private static final String PREFIX = "ID:";
    private static final String UUID_PREFIX = "ID:AMQP_UUID:";
    private static final String ULONG_PREFIX = "ID:AMQP_ULONG:";
    private static final String BINARY_PREFIX = "ID:AMQP_BINARY:";
    private static final String STRING_PREFIX = "ID:AMQP_STRING:";
    private static final String NO_PREFIX = "ID:AMQP_NO_PREFIX:";

    private JmsIds() {}

    /** JMSMessageID: always begins with {@code ID:}. */
    static @Nullable String messageId(@Nullable Object id) {
        return id instanceof String text && !text.startsWith(PREFIX) ? NO_PREFIX + text : encoded(id);
    }

    /** JMSCorrelationID: application text stays as it is. */
    static @Nullable String correlationId(@Nullable Object id) {
        return id instanceof String text && !text.startsWith(PREFIX) ? text : encoded(id);
    }

    private static @Nullable String encoded(@Nullable Object id) {
        if (id instanceof String text) {
            return looksEncoded(text) ? STRING_PREFIX + text : text;
        }
        if (id instanceof UUID) {
            return UUID_PREFIX + id;
        }
        if (id instanceof Long || id instanceof BigInteger) {
            return ULONG_PREFIX + id;
        }
        return id instanceof byte[] bytes
                ? BINARY_PREFIX + HexFormat.of().withUpperCase().formatHex(bytes)
                : null;
    }

    private static boolean looksEncoded(String text) {
        return text.startsWith(UUID_PREFIX)
                || text.startsWith(ULONG_PREFIX)
                || text.startsWith(BINARY_PREFIX)
                || text.startsWith(STRING_PREFIX)
                || text.startsWith(NO_PREFIX);
    }
}
