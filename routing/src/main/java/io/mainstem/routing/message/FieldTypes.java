package io.mainstem.routing.message;

import java.util.Locale;

/**
 * Whether the fields of header and properties have the types that the standard gives them (AMQP 1.0 part 3, 3.2.1 and
 * 3.2.4), so that nobody behind the scanner meets a number where a text should be. Thread: any.
 */
final class FieldTypes {
    private enum Type {
        BOOLEAN,
        UBYTE,
        UINT,
        TIMESTAMP,
        BINARY,
        STRING,
        SYMBOL,
        /** ulong, uuid, binary or string. */
        MESSAGE_ID;

        boolean fits(int code) {
            return switch (this) {
                case BOOLEAN -> code == AmqpTypes.TRUE || code == AmqpTypes.FALSE || code == AmqpTypes.BOOLEAN;
                case UBYTE -> code == AmqpTypes.UBYTE;
                case UINT -> code == AmqpTypes.UINT_0 || code == AmqpTypes.UINT_SMALL || code == AmqpTypes.UINT;
                case TIMESTAMP -> code == AmqpTypes.TIMESTAMP;
                case BINARY -> AmqpTypes.isBinary(code);
                case STRING -> code == AmqpTypes.STRING_8 || code == AmqpTypes.STRING_32;
                case SYMBOL -> AmqpTypes.isSymbol(code);
                case MESSAGE_ID ->
                    code == AmqpTypes.UUID
                            || code == AmqpTypes.ULONG_0
                            || code == AmqpTypes.ULONG_SMALL
                            || code == AmqpTypes.ULONG
                            || AmqpTypes.isBinary(code)
                            || STRING.fits(code);
            };
        }
    }

    private record Field(String name, Type type) {}

    private static final Field[] HEADER_FIELDS = {
        new Field("durable", Type.BOOLEAN),
        new Field("priority", Type.UBYTE),
        new Field("ttl", Type.UINT),
        new Field("first-acquirer", Type.BOOLEAN),
        new Field("delivery-count", Type.UINT),
    };

    private static final Field[] PROPERTIES_FIELDS = {
        new Field("message-id", Type.MESSAGE_ID),
        new Field("user-id", Type.BINARY),
        new Field("to", Type.STRING),
        new Field("subject", Type.STRING),
        new Field("reply-to", Type.STRING),
        new Field("correlation-id", Type.MESSAGE_ID),
        new Field("content-type", Type.SYMBOL),
        new Field("content-encoding", Type.SYMBOL),
        new Field("absolute-expiry-time", Type.TIMESTAMP),
        new Field("creation-time", Type.TIMESTAMP),
        new Field("group-id", Type.STRING),
        new Field("group-sequence", Type.UINT),
        new Field("reply-to-group-id", Type.STRING),
    };

    private FieldTypes() {}

    /** @param section where the scanned header begins */
    static void checkHeader(SectionBytes bytes, int section) {
        check(bytes, section, "header", HEADER_FIELDS);
    }

    /** @param section where the scanned properties begin */
    static void checkProperties(SectionBytes bytes, int section) {
        check(bytes, section, "properties", PROPERTIES_FIELDS);
    }

    private static void check(SectionBytes bytes, int section, String name, Field[] fields) {
        int end = bytes.size();
        int at = AmqpTypes.skip(bytes, section + 1, end, 1);
        int code = bytes.u8(at);
        if (code == AmqpTypes.LIST_0) {
            return;
        }
        boolean wide = AmqpTypes.isWide(code);
        int count = wide ? bytes.i32(at + 5) : bytes.u8(at + 2);
        if (count > fields.length) {
            throw new MalformedMessageException(
                    name + " of " + count + " fields (expected: at most " + fields.length + ")");
        }
        int field = at + (wide ? 9 : 3);
        for (int i = 0; i < count; i++) {
            int type = bytes.u8(field);
            if (type != AmqpTypes.NULL && !fields[i].type().fits(type)) {
                throw new MalformedMessageException("field '" + fields[i].name() + "' of " + name + " has type 0x"
                        + Integer.toHexString(type) + " (expected: "
                        + fields[i].type().name().toLowerCase(Locale.ROOT) + ")");
            }
            field = AmqpTypes.skip(bytes, field, end, 2);
        }
    }
}
