package io.mainstem.jms.message.section;

import io.mainstem.jms.message.value.MessageErrors;
import jakarta.jms.MessageFormatException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the sections of an encoded message begin and end; nothing inside them is decoded. Each slice holds the descriptor
 * and the value.
 *
 * @param body all sections of the body, in order; empty if there is none
 */
public record Sections(
        @Nullable ByteBuffer annotations,
        @Nullable ByteBuffer properties,
        @Nullable ByteBuffer applicationProperties,
        List<ByteBuffer> body) {
    static final int DATA = 0x75;
    static final int SEQUENCE = 0x76;
    static final int VALUE = 0x77;

    private static final int HEADER = 0x70;
    private static final int DELIVERY_ANNOTATIONS = 0x71;
    private static final int ANNOTATIONS = 0x72;
    private static final int PROPERTIES = 0x73;
    private static final int APPLICATION_PROPERTIES = 0x74;
    private static final int FOOTER = 0x78;
    /** Descriptors within descriptors; the standard has none. */
    private static final int DEPTH_MAX = 8;

    public static Sections of(ByteBuffer encoded) throws MessageFormatException {
        ByteBuffer input = encoded.duplicate();
        ByteBuffer annotations = null;
        ByteBuffer properties = null;
        ByteBuffer applicationProperties = null;
        List<ByteBuffer> body = new ArrayList<>(1);
        try {
            while (input.hasRemaining()) {
                int start = input.position();
                int code = descriptor(input);
                skipValue(input, 0);
                ByteBuffer section = input.duplicate()
                        .position(start)
                        .limit(input.position())
                        .slice();
                switch (code) {
                    case ANNOTATIONS -> annotations = section;
                    case PROPERTIES -> properties = section;
                    case APPLICATION_PROPERTIES -> applicationProperties = section;
                    case DATA, SEQUENCE, VALUE -> body.add(section);
                    case HEADER, DELIVERY_ANNOTATIONS, FOOTER -> {
                        // the transport has read them, or they are for no JMS reader
                    }
                    default -> throw new IllegalArgumentException("unknown section " + code);
                }
            }
        } catch (BufferUnderflowException | IllegalArgumentException malformed) {
            throw MessageErrors.malformed("message", malformed);
        }
        return new Sections(annotations, properties, applicationProperties, body);
    }

    /** {@link #DATA}, {@link #SEQUENCE} or {@link #VALUE} of a slice of {@link #body}. */
    static int kindOf(ByteBuffer section) {
        return descriptor(section.duplicate());
    }

    /** The value behind the descriptor. */
    static ByteBuffer valueOf(ByteBuffer section) {
        ByteBuffer value = section.duplicate();
        descriptor(value);
        return value.slice();
    }

    private static int descriptor(ByteBuffer input) {
        if (input.get() != 0) {
            throw new IllegalArgumentException("no section begins at byte " + (input.position() - 1));
        }
        int constructor = input.get() & 0xff;
        return switch (constructor) {
            case 0x53 -> input.get() & 0xff;
            case 0x80 -> (int) input.getLong();
            case 0xa3 -> named(input, input.get() & 0xff);
            case 0xb3 -> named(input, input.getInt());
            default -> throw new IllegalArgumentException("descriptor of type 0x" + Integer.toHexString(constructor));
        };
    }

    private static int named(ByteBuffer input, int length) {
        if (length < 0 || length > input.remaining()) {
            throw new BufferUnderflowException();
        }
        StringBuilder name = new StringBuilder();
        for (int i = 0; i < length; i++) {
            name.append((char) (input.get() & 0xff));
        }
        return switch (name.toString()) {
            case "amqp:header:list" -> HEADER;
            case "amqp:delivery-annotations:map" -> DELIVERY_ANNOTATIONS;
            case "amqp:message-annotations:map" -> ANNOTATIONS;
            case "amqp:properties:list" -> PROPERTIES;
            case "amqp:application-properties:map" -> APPLICATION_PROPERTIES;
            case "amqp:data:binary" -> DATA;
            case "amqp:amqp-sequence:list" -> SEQUENCE;
            case "amqp:amqp-value:*" -> VALUE;
            case "amqp:footer:map" -> FOOTER;
            default -> throw new IllegalArgumentException("unknown section " + name);
        };
    }

    /** The high half of a constructor says how wide its value is (AMQP 1.0 part 1, 1.2). */
    private static void skipValue(ByteBuffer input, int depth) {
        int constructor = input.get() & 0xff;
        if (constructor == 0) {
            if (depth == DEPTH_MAX) {
                throw new IllegalArgumentException("more than " + DEPTH_MAX + " descriptors within each other");
            }
            skipValue(input, depth + 1);
            skipValue(input, depth + 1);
            return;
        }
        switch (constructor >> 4) {
            case 0x4 -> skip(input, 0);
            case 0x5 -> skip(input, 1);
            case 0x6 -> skip(input, 2);
            case 0x7 -> skip(input, 4);
            case 0x8 -> skip(input, 8);
            case 0x9 -> skip(input, 16);
            case 0xa, 0xc, 0xe -> skip(input, input.get() & 0xff);
            case 0xb, 0xd, 0xf -> skip(input, input.getInt());
            default -> throw new IllegalArgumentException("type 0x" + Integer.toHexString(constructor));
        }
    }

    private static void skip(ByteBuffer input, int bytes) {
        if (bytes < 0 || bytes > input.remaining()) {
            throw new BufferUnderflowException();
        }
        input.position(input.position() + bytes);
    }
}
