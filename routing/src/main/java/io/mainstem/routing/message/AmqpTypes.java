package io.mainstem.routing.message;

import java.util.Arrays;

/**
 * The AMQP 1.0 type codes (part 1, 1.6) and how to step over a value of any of them within the limits of [D-5]. Steps
 * by type code, allocates nothing, touches every byte at most once. Thread: any.
 */
final class AmqpTypes {
    /** Compound, array and described values within one another. */
    static final int NESTING_MAX = 32;

    /** Pairs of a map. */
    static final int MAP_ENTRIES_MAX = 4096;

    /** Values that a section is made of that the broker decodes, all levels. */
    static final int SECTION_VALUES_MAX = 16_384;

    static final int DESCRIBED = 0x00;
    static final int NULL = 0x40;
    static final int TRUE = 0x41;
    static final int FALSE = 0x42;
    static final int UINT_0 = 0x43;
    static final int ULONG_0 = 0x44;
    static final int LIST_0 = 0x45;
    static final int UBYTE = 0x50;
    static final int BYTE = 0x51;
    static final int UINT_SMALL = 0x52;
    static final int ULONG_SMALL = 0x53;
    static final int INT_SMALL = 0x54;
    static final int LONG_SMALL = 0x55;
    static final int BOOLEAN = 0x56;
    static final int USHORT = 0x60;
    static final int SHORT = 0x61;
    static final int UINT = 0x70;
    static final int INT = 0x71;
    static final int FLOAT = 0x72;
    static final int CHAR = 0x73;
    static final int DECIMAL_32 = 0x74;
    static final int ULONG = 0x80;
    static final int LONG = 0x81;
    static final int DOUBLE = 0x82;
    static final int TIMESTAMP = 0x83;
    static final int DECIMAL_64 = 0x84;
    static final int DECIMAL_128 = 0x94;
    static final int UUID = 0x98;
    static final int BINARY_8 = 0xA0;
    static final int STRING_8 = 0xA1;
    static final int SYMBOL_8 = 0xA3;
    static final int BINARY_32 = 0xB0;
    static final int STRING_32 = 0xB1;
    static final int SYMBOL_32 = 0xB3;
    static final int LIST_8 = 0xC0;
    static final int MAP_8 = 0xC1;
    static final int LIST_32 = 0xD0;
    static final int MAP_32 = 0xD1;
    static final int ARRAY_8 = 0xE0;
    static final int ARRAY_32 = 0xF0;

    /** Bytes of a value whose length the code alone tells; else one of the negative kinds below. */
    private static final byte[] WIDTH = widths();

    private static final byte UNKNOWN = -1;
    private static final byte VARIABLE = -2;
    private static final byte LIST = -3;
    private static final byte MAP = -4;
    private static final byte ARRAY = -5;

    private AmqpTypes() {}

    static boolean isList(int code) {
        return code == LIST_0 || code == LIST_8 || code == LIST_32;
    }

    static boolean isMap(int code) {
        return code == MAP_8 || code == MAP_32;
    }

    static boolean isBinary(int code) {
        return code == BINARY_8 || code == BINARY_32;
    }

    static boolean isSymbol(int code) {
        return code == SYMBOL_8 || code == SYMBOL_32;
    }

    static boolean isText(int code) {
        return code == STRING_8 || code == STRING_32 || isSymbol(code);
    }

    /** Bytes of the data, or negative if the data tell. */
    static int fixedWidth(int code) {
        return WIDTH[code];
    }

    /** True where size and count take four bytes each instead of one. */
    static boolean isWide(int code) {
        return (code & 0x10) != 0;
    }

    /**
     * Steps over a whole value.
     *
     * @param end the value must end there or before
     * @param depth values this one lies within
     * @return where the next value begins
     */
    static int skip(SectionBytes bytes, int at, int end, int depth) {
        int code = code(bytes, at, end);
        if (code != DESCRIBED) {
            return skipData(bytes, code, at + 1, end, depth);
        }
        checkDepth(depth + 1, at);
        int value = skip(bytes, at + 1, end, depth + 1);
        return skip(bytes, value, end, depth + 1);
    }

    /**
     * Refuses a value of more than {@link #SECTION_VALUES_MAX} values within one another: decoding takes heap for each of
     * them, far more than its bytes. Elements of arrays of compound values count by their bytes.
     *
     * @param end where the value ends, which {@link #skip} has passed
     */
    static void checkValues(SectionBytes bytes, int at, int end) {
        long values = 0;
        int next = at;
        while (next < end && values <= SECTION_VALUES_MAX) {
            values++;
            int code = bytes.u8(next);
            if (code == DESCRIBED) {
                next++;
            } else if (isMap(code) || code == LIST_8 || code == LIST_32) {
                next = sizeEnd(code, sizeEnd(code, next + 1));
            } else if (code == ARRAY_8 || code == ARRAY_32) {
                int to = skip(bytes, next, end, 0);
                int countAt = sizeEnd(code, next + 1);
                int element = bytes.u8(sizeEnd(code, countAt));
                boolean flat = element != DESCRIBED && WIDTH[element] >= VARIABLE;
                values += flat ? size(bytes, code, countAt, to) : to - next;
                next = to;
            } else {
                next = skip(bytes, next, end, 0);
            }
        }
        if (values > SECTION_VALUES_MAX) {
            throw new MalformedMessageException("section at byte " + at + " of more than " + SECTION_VALUES_MAX
                    + " values (expected: at most that)");
        }
    }

    /** Steps over the data of a value whose constructor has been read. */
    static int skipData(SectionBytes bytes, int code, int at, int end, int depth) {
        int width = WIDTH[code];
        if (width >= 0) {
            return within(at, width, end);
        }
        if (width == UNKNOWN) {
            throw new MalformedMessageException("type code 0x" + Integer.toHexString(code) + " before byte " + at);
        }
        int length = width == VARIABLE ? size(bytes, code, at, end) : 0;
        if (width == VARIABLE) {
            return within(sizeEnd(code, at), length, end);
        }
        return skipCompound(bytes, code, at, end, depth);
    }

    /** Where a compound or variable value's size field ends. */
    static int sizeEnd(int code, int at) {
        return at + (isWide(code) ? 4 : 1);
    }

    /** The size or count field at {@code at}, checked against the bytes up to {@code end}. */
    static int size(SectionBytes bytes, int code, int at, int end) {
        int from = within(at, isWide(code) ? 4 : 1, end);
        int size = isWide(code) ? bytes.i32(at) : bytes.u8(at);
        if (size < 0 || size > end - from) {
            throw new MalformedMessageException("size or count " + Integer.toUnsignedString(size) + " at byte " + at
                    + " (expected: at most the " + (end - from) + " bytes remaining)");
        }
        return size;
    }

    /** The constructor code at {@code at}. */
    static int code(SectionBytes bytes, int at, int end) {
        within(at, 1, end);
        return bytes.u8(at);
    }

    static int within(int at, int length, int end) {
        if (length > end - at) {
            throw new MalformedMessageException(
                    "value of " + length + " bytes at byte " + at + " (expected: to end by byte " + end + ")");
        }
        return at + length;
    }

    static void checkDepth(int depth, int at) {
        if (depth > NESTING_MAX) {
            throw new MalformedMessageException(
                    "values nested deeper than " + NESTING_MAX + " at byte " + at + " (expected: at most that)");
        }
    }

    static void checkPairs(int count, int at) {
        if ((count & 1) != 0 || count > 2 * MAP_ENTRIES_MAX) {
            throw new MalformedMessageException("map of " + count + " keys and values at byte " + at
                    + " (expected: even, at most " + 2 * MAP_ENTRIES_MAX + ")");
        }
    }

    static void checkEnd(int found, int end) {
        if (found != end) {
            throw new MalformedMessageException("value ends at byte " + found + " (expected: " + end + ")");
        }
    }

    private static int skipCompound(SectionBytes bytes, int code, int at, int end, int depth) {
        checkDepth(depth + 1, at);
        int countAt = sizeEnd(code, at);
        int valueEnd = countAt + size(bytes, code, at, end);
        int count = size(bytes, code, countAt, valueEnd);
        int next = sizeEnd(code, countAt);
        if (WIDTH[code] == ARRAY) {
            return skipArray(bytes, count, next, valueEnd, depth + 1);
        }
        if (WIDTH[code] == MAP) {
            checkPairs(count, at);
        }
        for (int i = 0; i < count; i++) {
            next = skip(bytes, next, valueEnd, depth + 1);
        }
        checkEnd(next, valueEnd);
        return valueEnd;
    }

    private static int skipArray(SectionBytes bytes, int count, int at, int end, int depth) {
        int next = at;
        int level = depth;
        int code = code(bytes, next, end);
        while (code == DESCRIBED) {
            level++;
            checkDepth(level, next);
            next = skip(bytes, next + 1, end, level);
            code = code(bytes, next, end);
        }
        next++;
        int width = WIDTH[code];
        if (width >= 0) {
            checkEnd(within(next, (int) Math.min(Integer.MAX_VALUE, (long) count * width), end), end);
            return end;
        }
        for (int i = 0; i < count; i++) {
            next = skipData(bytes, code, next, end, level);
        }
        checkEnd(next, end);
        return end;
    }

    private static byte[] widths() {
        byte[] widths = new byte[256];
        Arrays.fill(widths, UNKNOWN);
        set(widths, 0, NULL, TRUE, FALSE, UINT_0, ULONG_0, LIST_0);
        set(widths, 1, UBYTE, BYTE, UINT_SMALL, ULONG_SMALL, INT_SMALL, LONG_SMALL, BOOLEAN);
        set(widths, 2, USHORT, SHORT);
        set(widths, 4, UINT, INT, FLOAT, CHAR, DECIMAL_32);
        set(widths, 8, ULONG, LONG, DOUBLE, TIMESTAMP, DECIMAL_64);
        set(widths, 16, DECIMAL_128, UUID);
        set(widths, VARIABLE, BINARY_8, STRING_8, SYMBOL_8, BINARY_32, STRING_32, SYMBOL_32);
        set(widths, LIST, LIST_8, LIST_32);
        set(widths, MAP, MAP_8, MAP_32);
        set(widths, ARRAY, ARRAY_8, ARRAY_32);
        return widths;
    }

    private static void set(byte[] widths, int width, int... codes) {
        for (int code : codes) {
            widths[code] = (byte) width;
        }
    }
}
