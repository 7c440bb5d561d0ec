package io.mainstem.amqp.v1;

import io.mainstem.routing.message.SectionOffsets;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the few fields of a scanned message that decide how it is stored, without decoding the rest. Reads the first
 * piece only: {@link #complete} is false if a section goes on in the next one, and the caller then decodes in full.
 *
 * <p>The bytes have passed the section scanner, so sizes here are known to be right. One instance is reused. Thread: the
 * connection's event loop.
 */
final class SectionPeek {
    private static final int ULONG_SMALL = 0x53;
    private static final int STRING_8 = 0xa1;
    private static final int STRING_32 = 0xb1;
    private static final int BINARY_8 = 0xa0;
    private static final int BINARY_32 = 0xb0;
    private static final int TIMESTAMP = 0x83;
    private static final int BYTE = 0x51;

    private static final int USER_ID = 1;
    private static final int TO = 2;
    private static final int ABSOLUTE_EXPIRY = 8;

    private static final byte[] BROKER_PREFIX = "x-".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] JMS_DESTINATION = "x-opt-jms-dest".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] JMS_PREFIX = "x-opt-jms-".getBytes(StandardCharsets.US_ASCII);

    private byte[] bytes = {};
    private boolean complete;
    private boolean otherAnnotations;
    private int jmsDestination;
    private int userId;
    private int to;
    private long absoluteExpiryMs;

    /** Reads annotations and properties of a message. */
    void read(byte[] first, int sectionBytes, SectionOffsets offsets) {
        bytes = first;
        otherAnnotations = false;
        jmsDestination = -1;
        userId = -1;
        to = -1;
        absoluteExpiryMs = 0;
        complete = endOfPeeked(sectionBytes, offsets) <= first.length;
        if (complete && offsets.messageAnnotations() >= 0) {
            annotations(offsets.messageAnnotations());
        }
        if (complete && offsets.properties() >= 0) {
            properties(offsets.properties());
        }
    }

    private static int endOfPeeked(int sectionBytes, SectionOffsets offsets) {
        if (offsets.applicationProperties() >= 0) {
            return offsets.applicationProperties();
        }
        if (offsets.body() >= 0) {
            return offsets.body();
        }
        return offsets.footer() >= 0 ? offsets.footer() : sectionBytes;
    }

    /** False if the sections were not looked at because they are larger than a piece. */
    boolean complete() {
        return complete;
    }

    /** True if there is an annotation beginning with {@code x-} that is not one of Qpid JMS's. */
    boolean otherAnnotations() {
        return otherAnnotations;
    }

    /** Value of {@code x-opt-jms-dest}, -1 if absent. */
    int jmsDestination() {
        return jmsDestination;
    }

    /** Epoch ms, 0 if absent. */
    long absoluteExpiryMs() {
        return absoluteExpiryMs;
    }

    @Nullable
    String userId() {
        return userId < 0 ? null : variable(userId);
    }

    @Nullable
    String to() {
        return to < 0 ? null : variable(to);
    }

    private void annotations(int section) {
        int at = value(section);
        int code = u8(at);
        boolean wide = code == 0xd1;
        int count = wide ? i32(at + 5) : u8(at + 2);
        int key = at + (wide ? 9 : 3);
        for (int i = 0; i < count; i += 2) {
            int value = skip(key);
            annotation(key, value);
            key = skip(value);
        }
    }

    private void annotation(int key, int value) {
        if (!startsWith(key, BROKER_PREFIX)) {
            return;
        }
        if (!startsWith(key, JMS_PREFIX)) {
            otherAnnotations = true;
        } else if (length(key) == JMS_DESTINATION.length && startsWith(key, JMS_DESTINATION) && u8(value) == BYTE) {
            jmsDestination = bytes[value + 1];
        }
    }

    private void properties(int section) {
        int at = value(section);
        int code = u8(at);
        if (code == 0x45) {
            return;
        }
        boolean wide = code == 0xd0;
        int count = Math.min(wide ? i32(at + 5) : u8(at + 2), ABSOLUTE_EXPIRY + 1);
        int field = at + (wide ? 9 : 3);
        for (int i = 0; i < count; i++) {
            int type = u8(field);
            if (i == USER_ID && (type == BINARY_8 || type == BINARY_32)) {
                userId = field;
            } else if (i == TO && (type == STRING_8 || type == STRING_32)) {
                to = field;
            } else if (i == ABSOLUTE_EXPIRY && type == TIMESTAMP) {
                absoluteExpiryMs = (long) i32(field + 1) << 32 | (i32(field + 5) & 0xffffffffL);
            }
            field = skip(field);
        }
    }

    /** Index of the value described at {@code section}. */
    private int value(int section) {
        return u8(section + 1) == ULONG_SMALL ? section + 3 : skip(section + 1);
    }

    private boolean startsWith(int key, byte[] prefix) {
        int code = u8(key);
        if ((code != 0xa3 && code != 0xb3) || length(key) < prefix.length) {
            return false;
        }
        int from = key + (code == 0xa3 ? 2 : 5);
        for (int i = 0; i < prefix.length; i++) {
            if (bytes[from + i] != prefix[i]) {
                return false;
            }
        }
        return true;
    }

    /** Length of a variable-width value. */
    private int length(int at) {
        return (u8(at) & 0x10) == 0 ? u8(at + 1) : i32(at + 1);
    }

    private String variable(int at) {
        int from = at + ((u8(at) & 0x10) == 0 ? 2 : 5);
        return new String(bytes, from, length(at), StandardCharsets.UTF_8);
    }

    /** Index after the value at {@code at}; the upper half of a type code tells the width (AMQP 1.0 part 1, 1.2). */
    private int skip(int at) {
        int code = u8(at);
        if (code == 0) {
            return skip(skip(at + 1));
        }
        return switch (code >> 4) {
            case 0x4 -> at + 1;
            case 0x5 -> at + 2;
            case 0x6 -> at + 3;
            case 0x7 -> at + 5;
            case 0x8 -> at + 9;
            case 0x9 -> at + 17;
            case 0xa, 0xc, 0xe -> at + 2 + u8(at + 1);
            default -> at + 5 + i32(at + 1);
        };
    }

    private int u8(int at) {
        return bytes[at] & 0xff;
    }

    private int i32(int at) {
        return u8(at) << 24 | u8(at + 1) << 16 | u8(at + 2) << 8 | u8(at + 3);
    }
}
