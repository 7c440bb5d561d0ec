package io.mainstem.amqp.v1.wire;

import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Map;
import org.apache.qpid.proton.amqp.transport.AmqpError;

/**
 * Looks at the encoding of a value before it is decoded: how many values it is made of, entries a map has, and what its
 * keys are, so that decoding costs time and heap in proportion to what is allowed here, whatever the peer says. Steps over
 * the bytes once, stops at the limit, allocates nothing. What is malformed is left to the codec, which says so.
 *
 * <p>Keys that are compound could be made to collide by the thousand, and no map of the standard has any.
 *
 * <p>One instance per codec. Thread: its thread.
 */
final class ValueBounds {
    /** Values that one performative, outcome or message of a coordinator or management link is made of, all levels. */
    static final int VALUES_MAX = 16_384;

    /** Entries of one map: each has to be compared with others of the same hash. */
    static final int ENTRIES_MAX = 1024;

    /** As in [D-5]. */
    static final int NESTING_MAX = 32;

    private static final int MALFORMED = -1;
    private static final int DESCRIBED = 0x00;
    private static final int SMALL_ULONG = 0x53;
    private static final int LIST_8 = 0xc0;
    private static final int MAP_8 = 0xc1;
    private static final int LIST_32 = 0xd0;
    private static final int MAP_32 = 0xd1;
    private static final int ARRAY_8 = 0xe0;
    private static final int ARRAY_32 = 0xf0;

    /** What performatives and termini are called, by descriptor. */
    private static final Map<Integer, String> NAMES = Map.ofEntries(
            Map.entry(0x10, "open"),
            Map.entry(0x11, "begin"),
            Map.entry(0x12, "attach"),
            Map.entry(0x13, "flow"),
            Map.entry(0x14, "transfer"),
            Map.entry(0x15, "disposition"),
            Map.entry(0x16, "detach"),
            Map.entry(0x17, "end"),
            Map.entry(0x18, "close"),
            Map.entry(0x1d, "error"),
            Map.entry(0x23, "received"),
            Map.entry(0x25, "rejected"),
            Map.entry(0x27, "modified"),
            Map.entry(0x28, "source"),
            Map.entry(0x29, "target"),
            Map.entry(0x30, "coordinator"),
            Map.entry(0x34, "transactional-state"));

    /** Those of their fields that hold lists or maps of any length, by descriptor and index. */
    private static final Map<Integer, List<String>> FIELDS = Map.of(
            0x10,
            List.of(
                    "",
                    "",
                    "",
                    "",
                    "",
                    "outgoing-locales",
                    "incoming-locales",
                    "offered-capabilities",
                    "desired-capabilities",
                    "properties"),
            0x11,
            List.of("", "", "", "", "", "offered-capabilities", "desired-capabilities", "properties"),
            0x12,
            List.of(
                    "",
                    "",
                    "",
                    "",
                    "",
                    "source",
                    "target",
                    "unsettled",
                    "",
                    "",
                    "",
                    "offered-capabilities",
                    "desired-capabilities",
                    "properties"),
            0x28,
            List.of(
                    "",
                    "",
                    "",
                    "",
                    "",
                    "dynamic-node-properties",
                    "",
                    "filter",
                    "default-outcome",
                    "outcomes",
                    "capabilities"),
            0x29,
            List.of("", "", "", "", "", "dynamic-node-properties", "capabilities"),
            0x1d,
            List.of("", "", "info"),
            0x25,
            List.of("error"),
            0x27,
            List.of("", "", "message-annotations"));

    private final StringBuilder path = new StringBuilder();
    private int values;

    /**
     * @param at where the value begins
     * @param end index that must not be passed
     * @throws AmqpException resource-limit-exceeded for the connection, naming what is too much
     */
    void check(ByteBuf in, int at, int end) {
        values = 0;
        path.setLength(0);
        value(in, at, end, 0);
    }

    /** Index after the value, or {@link #MALFORMED}. */
    private int value(ByteBuf in, int at, int end, int depth) {
        if (at >= end) {
            return MALFORMED;
        }
        count(1);
        if (depth > NESTING_MAX) {
            return MALFORMED;
        }
        int code = in.getUnsignedByte(at);
        if (code == DESCRIBED) {
            int descriptor = descriptor(in, at + 1, end);
            int next = value(in, at + 1, end, depth + 1);
            return next == MALFORMED ? MALFORMED : described(in, next, end, depth, descriptor);
        }
        return switch (code) {
            case LIST_8, LIST_32, MAP_8, MAP_32, ARRAY_8, ARRAY_32 -> compound(in, at, end, depth, -1);
            default -> scalar(in, at, end, code);
        };
    }

    /** Code of a descriptor that has a name, or -1. */
    private static int descriptor(ByteBuf in, int at, int end) {
        return end - at >= 2 && in.getUnsignedByte(at) == SMALL_ULONG ? in.getUnsignedByte(at + 1) : -1;
    }

    private int described(ByteBuf in, int at, int end, int depth, int descriptor) {
        if (at >= end) {
            return MALFORMED;
        }
        int code = in.getUnsignedByte(at);
        String name = NAMES.get(descriptor);
        if (name == null || (code != LIST_8 && code != LIST_32)) {
            return value(in, at, end, depth + 1);
        }
        int length = path.length();
        path.append(length == 0 ? "" : ", ").append(name);
        int next = compound(in, at, end, depth + 1, descriptor);
        path.setLength(length);
        return next;
    }

    private static int scalar(ByteBuf in, int at, int end, int code) {
        long width = switch (code >> 4) {
            case 0x4 -> 0;
            case 0x5 -> 1;
            case 0x6 -> 2;
            case 0x7 -> 4;
            case 0x8 -> 8;
            case 0x9 -> 16;
            case 0xa -> end - at >= 2 ? 1L + in.getUnsignedByte(at + 1) : Long.MAX_VALUE;
            case 0xb -> end - at >= 5 ? 4 + in.getUnsignedInt(at + 1) : Long.MAX_VALUE;
            default -> Long.MAX_VALUE;
        };
        return width > end - at - 1 ? MALFORMED : at + 1 + (int) width;
    }

    /** @param descriptor of a list whose fields have names, or -1 */
    private int compound(ByteBuf in, int at, int end, int depth, int descriptor) {
        int code = in.getUnsignedByte(at);
        boolean wide = (code & 0x10) != 0;
        int sizeEnd = at + (wide ? 5 : 2);
        int countEnd = sizeEnd + (wide ? 4 : 1);
        if (countEnd > end) {
            return MALFORMED;
        }
        long size = wide ? in.getUnsignedInt(at + 1) : in.getUnsignedByte(at + 1);
        long count = wide ? in.getUnsignedInt(sizeEnd) : in.getUnsignedByte(sizeEnd);
        if (size > end - sizeEnd) {
            return MALFORMED;
        }
        int valueEnd = sizeEnd + (int) size;
        boolean map = code == MAP_8 || code == MAP_32;
        boolean array = code == ARRAY_8 || code == ARRAY_32;
        if (!array && count > valueEnd - countEnd) {
            return MALFORMED;
        }
        if (map && count > 2L * ENTRIES_MAX) {
            throw tooMuch("a map of " + count / 2 + " entries (expected: at most " + ENTRIES_MAX + ")");
        }
        if (count > VALUES_MAX) {
            throw tooMuch("a list or array of " + count + " values (expected: at most " + VALUES_MAX + " in all)");
        }
        if (array) {
            return array(in, countEnd, valueEnd, (int) count);
        }
        int next = countEnd;
        for (int i = 0; i < count && next != MALFORMED; i++) {
            if (map && i % 2 == 0) {
                checkKey(in, next, valueEnd);
            }
            next = descriptor < 0
                    ? value(in, next, valueEnd, depth + 1)
                    : field(in, next, valueEnd, depth + 1, name(descriptor, i));
        }
        return next == MALFORMED ? MALFORMED : valueEnd;
    }

    private static String name(int descriptor, int index) {
        List<String> names = FIELDS.getOrDefault(descriptor, List.of());
        return index < names.size() ? names.get(index) : "";
    }

    private int field(ByteBuf in, int at, int end, int depth, String name) {
        int length = path.length();
        if (!name.isEmpty()) {
            path.append(", ").append(name);
        }
        int next = value(in, at, end, depth);
        path.setLength(length);
        return next;
    }

    /** Elements share a constructor; if they are compound, each of their bytes counts as a value, which is more than true. */
    private int array(ByteBuf in, int at, int end, int count) {
        count(count);
        int code = at < end ? in.getUnsignedByte(at) : DESCRIBED;
        if (code == DESCRIBED || code >= LIST_8) {
            count(end - at);
        }
        return end;
    }

    private void checkKey(ByteBuf in, int at, int end) {
        int code = at < end ? in.getUnsignedByte(at) : SMALL_ULONG;
        if (code == DESCRIBED || code >= LIST_8) {
            throw AmqpException.connection(
                    AmqpError.DECODE_ERROR,
                    "MS-0514 " + where() + ": a map with a key that is compound or described (expected: symbol, string,"
                            + " number or binary) fix: use such keys");
        }
    }

    private void count(int more) {
        values += more;
        if (values > VALUES_MAX) {
            throw tooMuch("more than " + VALUES_MAX + " values");
        }
    }

    private AmqpException tooMuch(String found) {
        return AmqpException.connection(
                AmqpError.RESOURCE_LIMIT_EXCEEDED, "MS-0514 " + where() + ": " + found + " fix: send fewer");
    }

    private String where() {
        return path.isEmpty() ? "a value" : path.toString();
    }
}
