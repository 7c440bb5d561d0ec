package io.mainstem.routing.message;

import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Decodes the few AMQP 1.0 values that routing and address resolution look at, within the limits of [D-5].
 *
 * <p>The AMQP type system is folded into few Java types, so that values compare by value: all integers are Long
 * (an ulong above its range is BigInteger), float and double are Double, string, symbol and char are String, timestamp
 * is Instant, binary is byte[], list and array are List, map is Map in order, null is null, uuid is UUID. A described
 * value is {@link Described}, a decimal {@link Decimal}.
 *
 * <p>Thread: one. Throws {@link MalformedMessageException} only.
 */
public final class AmqpValueReader {
    private static final BigInteger TWO_TO_64 = BigInteger.ONE.shiftLeft(64);

    private final SectionBytes bytes;
    private int at;
    private boolean checked;
    private boolean floatsApart;

    AmqpValueReader(SectionBytes bytes, int at) {
        this.bytes = bytes;
        this.at = at;
    }

    /** A value with its descriptor. */
    public record Described(
            @Nullable Object descriptor, @Nullable Object value) {}

    /** A decimal32, 64 or 128, as its bits. */
    public record Decimal(int typeCode, String hex) {
        /** Its digits, {@code NaN}, {@code Infinity} or {@code -Infinity}. */
        public String text() {
            return DecimalText.of(this);
        }
    }

    /**
     * The application-properties; empty if the message has none.
     *
     * @param sections as in {@link Message#sections}
     */
    public static Map<String, @Nullable Object> applicationProperties(List<byte[]> sections, SectionOffsets offsets) {
        return sectionMap(sections, offsets.applicationProperties());
    }

    /** The message-annotations by the text of their keys (numeric keys as decimals); empty if there are none. */
    public static Map<String, @Nullable Object> messageAnnotations(List<byte[]> sections, SectionOffsets offsets) {
        return sectionMap(sections, offsets.messageAnnotations());
    }

    /**
     * As above, of the section at this offset, but a float is a Float: for values that are shown, whose shortest text
     * depends on it.
     */
    public static Map<String, @Nullable Object> shownMap(List<byte[]> sections, int offset) {
        return offset < 0
                ? Map.of()
                : texts(shown(new SectionBytes(sections), offset).sectionValue());
    }

    /** A reader that keeps float and double apart. */
    static AmqpValueReader shown(SectionBytes bytes, int at) {
        AmqpValueReader reader = new AmqpValueReader(bytes, at);
        reader.floatsApart = true;
        return reader;
    }

    /**
     * A single encoded value, for tests and small control values.
     *
     * @throws MalformedMessageException also if anything follows the value
     */
    public static @Nullable Object decode(byte[] encoded) {
        AmqpValueReader reader = new AmqpValueReader(new SectionBytes(List.of(encoded)), 0);
        Object value = reader.read(encoded.length, 0);
        AmqpTypes.checkEnd(reader.at, encoded.length);
        return value;
    }

    static Map<String, @Nullable Object> sectionMap(List<byte[]> sections, int offset) {
        return offset < 0 ? Map.of() : texts(new AmqpValueReader(new SectionBytes(sections), offset).sectionValue());
    }

    private static Map<String, @Nullable Object> texts(@Nullable Object value) {
        Map<String, @Nullable Object> texts = new LinkedHashMap<>();
        if (value instanceof Map<?, ?> map) {
            map.forEach((key, each) -> texts.put(String.valueOf(key), each));
        }
        return texts;
    }

    /** The fields of the list that a section holds; empty if it holds no list. */
    static List<?> sectionList(SectionBytes bytes, int offset) {
        return new AmqpValueReader(bytes, offset).sectionValue() instanceof List<?> list ? list : List.of();
    }

    /** A field of such a list; trailing ones may be left out by the encoder. */
    static @Nullable Object field(List<?> fields, int index) {
        return index < fields.size() ? fields.get(index) : null;
    }

    /** What the section at the current place holds. */
    @Nullable
    Object sectionValue() {
        return read(bytes.size(), 0) instanceof Described section ? section.value() : null;
    }

    /** Decodes the value at the current place. */
    @Nullable
    Object read(int end, int depth) {
        int code = AmqpTypes.code(bytes, at, end);
        at++;
        if (code == AmqpTypes.DESCRIBED) {
            AmqpTypes.checkDepth(depth + 1, at);
            Object descriptor = read(end, depth + 1);
            return new Described(descriptor, read(end, depth + 1));
        }
        return data(code, end, depth);
    }

    private @Nullable Object data(int code, int end, int depth) {
        int width = AmqpTypes.fixedWidth(code);
        if (width >= 0) {
            int from = at;
            at = AmqpTypes.within(at, width, end);
            return fixed(code, from);
        }
        if (AmqpTypes.isText(code) || AmqpTypes.isBinary(code)) {
            int from = AmqpTypes.sizeEnd(code, at);
            int to = from + AmqpTypes.size(bytes, code, at, end);
            at = to;
            return AmqpTypes.isText(code) ? bytes.text(from, to) : bytes.copy(from, to);
        }
        return compound(code, end, depth);
    }

    private Object compound(int code, int end, int depth) {
        boolean outermost = !checked;
        if (outermost) {
            // Refuses unknown codes, bad sizes and counts, at all depths, before anything is allocated; once, so that
            // reading stays linear.
            AmqpTypes.skipData(bytes, code, at, end, depth);
            checked = true;
        }
        int countAt = AmqpTypes.sizeEnd(code, at);
        int to = countAt + AmqpTypes.size(bytes, code, at, end);
        int count = AmqpTypes.size(bytes, code, countAt, to);
        at = AmqpTypes.sizeEnd(code, countAt);
        Object value = elements(code, count, to, depth + 1);
        at = to;
        checked = !outermost;
        return value;
    }

    private Object elements(int code, int count, int end, int depth) {
        if (AmqpTypes.isMap(code)) {
            Map<@Nullable Object, @Nullable Object> map = new LinkedHashMap<>();
            for (int i = 0; i < count; i += 2) {
                Object key = read(end, depth);
                map.putIfAbsent(key, read(end, depth));
            }
            return map;
        }
        List<@Nullable Object> list = new ArrayList<>();
        if (AmqpTypes.isList(code)) {
            for (int i = 0; i < count; i++) {
                list.add(read(end, depth));
            }
            return list;
        }
        int constructor = at;
        int element = AmqpTypes.code(bytes, at, end);
        while (element == AmqpTypes.DESCRIBED) {
            constructor = AmqpTypes.skip(bytes, constructor + 1, end, depth);
            element = AmqpTypes.code(bytes, constructor, end);
        }
        at = constructor + 1;
        for (int i = 0; i < count; i++) {
            list.add(data(element, end, depth));
        }
        return list;
    }

    private @Nullable Object fixed(int code, int from) {
        return switch (code) {
            case AmqpTypes.NULL -> null;
            case AmqpTypes.TRUE -> true;
            case AmqpTypes.FALSE -> false;
            case AmqpTypes.BOOLEAN -> bytes.u8(from) != 0;
            case AmqpTypes.UINT_0, AmqpTypes.ULONG_0 -> 0L;
            case AmqpTypes.LIST_0 -> List.of();
            case AmqpTypes.UBYTE, AmqpTypes.UINT_SMALL, AmqpTypes.ULONG_SMALL -> (long) bytes.u8(from);
            case AmqpTypes.BYTE, AmqpTypes.INT_SMALL, AmqpTypes.LONG_SMALL -> (long) (byte) bytes.u8(from);
            case AmqpTypes.USHORT -> (long) bytes.u16(from);
            case AmqpTypes.SHORT -> (long) (short) bytes.u16(from);
            case AmqpTypes.UINT -> bytes.i32(from) & 0xFFFFFFFFL;
            case AmqpTypes.INT -> (long) bytes.i32(from);
            case AmqpTypes.LONG -> bytes.i64(from);
            case AmqpTypes.ULONG -> unsigned(bytes.i64(from));
            case AmqpTypes.FLOAT -> real(Float.intBitsToFloat(bytes.i32(from)));
            case AmqpTypes.DOUBLE -> Double.longBitsToDouble(bytes.i64(from));
            case AmqpTypes.TIMESTAMP -> Instant.ofEpochMilli(bytes.i64(from));
            case AmqpTypes.CHAR -> character(bytes.i32(from));
            case AmqpTypes.UUID -> new UUID(bytes.i64(from), bytes.i64(from + 8));
            default -> new Decimal(code, hex(from, from + AmqpTypes.fixedWidth(code)));
        };
    }

    private Object real(float value) {
        return floatsApart ? (Object) value : (double) value;
    }

    private static Object unsigned(long value) {
        return value >= 0 ? (Object) value : BigInteger.valueOf(value).add(TWO_TO_64);
    }

    private static String character(int codePoint) {
        return Character.isValidCodePoint(codePoint) ? Character.toString(codePoint) : "\uFFFD";
    }

    private String hex(int from, int to) {
        return new BigInteger(1, bytes.copy(from, to)).toString(16);
    }
}
