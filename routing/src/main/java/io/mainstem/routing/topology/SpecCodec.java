package io.mainstem.routing.topology;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.ExchangeSpec;
import io.mainstem.routing.ExchangeType;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.message.BinaryReader;
import io.mainstem.routing.message.BinaryWriter;
import io.mainstem.routing.message.MalformedMessageException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Values of META records. Arguments are sorted by name and keep their types, as a client that compares what it has
 * declared with what it is shown finds them. Equal objects, whatever the width of their numbers, have equal bytes in
 * the form for {@linkplain #identity comparison}, in which integers are {@code l} and fractions {@code d}. Decoding throws {@link MalformedMessageException} only. Thread: any.
 *
 * <pre>
 *  queue     u8 version = 1, u8 flags (0 durable, 1 autoDelete, 2 exclusive, 3 system, 4 owner), varint queueId, text name,
 *            args, text owner if there is one
 *  exchange  u8 version = 1, u8 flags (0 durable, 1 autoDelete, 2 internal), u8 type, text name, args
 *  binding   u8 version = 1, u8 flags (0 toQueue), text source, text destination, text key, args
 *  args      varint n, n x { text name, u8 type, value }: s text, b u8, x blob, v nothing;
 *            l long, i int, h short, t byte: each as i64; d double, f float: each as i64 bits of the double
 * </pre>
 */
final class SpecCodec {
    private static final int VERSION = 1;
    /** By their code on disk. */
    private static final List<ExchangeType> TYPES = List.of(ExchangeType.values());

    private SpecCodec() {}

    static byte[] encode(int queueId, QueueSpec spec) {
        BinaryWriter out = new BinaryWriter(64).u8(VERSION);
        String owner = spec.owner();
        out.u8(bit(spec.durable(), 0)
                | bit(spec.autoDelete(), 1)
                | bit(spec.exclusive(), 2)
                | bit(spec.system(), 3)
                | bit(owner != null, 4));
        out.varint(queueId).text(spec.name());
        arguments(out, spec.arguments());
        return (owner == null ? out : out.text(owner)).toByteArray();
    }

    static QueueTarget decodeQueue(byte[] bytes) {
        BinaryReader in = new BinaryReader(bytes);
        int flags = begin(in, 0x1F);
        int queueId = in.number(Integer.MAX_VALUE);
        QueueSpec spec =
                new QueueSpec(in.text(), has(flags, 0), has(flags, 1), has(flags, 2), has(flags, 3), arguments(in));
        String owner = has(flags, 4) ? in.text() : null;
        in.expectEnd();
        return QueueTarget.of(queueId, spec.ownedBy(owner));
    }

    static byte[] encode(ExchangeSpec spec) {
        BinaryWriter out = new BinaryWriter(64).u8(VERSION);
        out.u8(bit(spec.durable(), 0) | bit(spec.autoDelete(), 1) | bit(spec.internal(), 2));
        out.u8(TYPES.indexOf(spec.type())).text(spec.name());
        return arguments(out, spec.arguments()).toByteArray();
    }

    static ExchangeSpec decodeExchange(byte[] bytes) {
        BinaryReader in = new BinaryReader(bytes);
        int flags = begin(in, 0x7);
        int type = in.u8();
        if (type >= TYPES.size()) {
            throw new MalformedMessageException("exchange type " + type + " (expected: below " + TYPES.size() + ")");
        }
        ExchangeSpec spec = new ExchangeSpec(
                in.text(), TYPES.get(type), has(flags, 0), has(flags, 1), has(flags, 2), arguments(in));
        in.expectEnd();
        return spec;
    }

    static byte[] encode(BindingSpec spec) {
        return binding(spec, spec.arguments());
    }

    /** The binding with its arguments by value, to tell it from others. */
    static byte[] identity(BindingSpec spec) {
        return binding(spec, byValue(spec.arguments()));
    }

    private static byte[] binding(BindingSpec spec, Map<String, Object> arguments) {
        BinaryWriter out = new BinaryWriter(96).u8(VERSION);
        out.u8(bit(spec.toQueue(), 0))
                .text(spec.source())
                .text(spec.destination())
                .text(spec.key());
        return arguments(out, arguments).toByteArray();
    }

    static BindingSpec decodeBinding(byte[] bytes) {
        BinaryReader in = new BinaryReader(bytes);
        int flags = begin(in, 0x1);
        BindingSpec spec = new BindingSpec(in.text(), in.text(), has(flags, 0), in.text(), arguments(in));
        in.expectEnd();
        return spec;
    }

    /** The arguments alone, to compare them by value. */
    static byte[] identity(Map<String, Object> arguments) {
        return arguments(new BinaryWriter(32), byValue(arguments)).toByteArray();
    }

    /** Numbers in their widest form. */
    private static Map<String, Object> byValue(Map<String, Object> arguments) {
        Map<String, Object> byValue = new HashMap<>(arguments);
        byValue.replaceAll((name, value) -> {
            if (value instanceof Float fraction) {
                return fraction.doubleValue();
            }
            return value instanceof Integer || value instanceof Short || value instanceof Byte
                    ? (Object) ((Number) value).longValue()
                    : value;
        });
        return byValue;
    }

    private static int begin(BinaryReader in, int flagsKnown) {
        int version = in.u8();
        int flags = in.u8();
        if (version != VERSION || (flags & ~flagsKnown) != 0) {
            throw new MalformedMessageException(
                    "META value version " + version + " flags " + flags + " (expected: version " + VERSION + ")");
        }
        return flags;
    }

    private static int bit(boolean flag, int index) {
        return flag ? 1 << index : 0;
    }

    private static boolean has(int flags, int index) {
        return (flags >>> index & 1) != 0;
    }

    /** Writes arguments, sorted by name. */
    static BinaryWriter arguments(BinaryWriter out, Map<String, Object> arguments) {
        out.varint(arguments.size());
        new TreeMap<>(arguments).forEach((name, value) -> argument(out.text(name), value));
        return out;
    }

    private static void argument(BinaryWriter out, Object value) {
        if (value == BindingSpec.VOID) {
            out.u8('v');
        } else if (value instanceof String text) {
            out.u8('s').text(text);
        } else if (value instanceof Boolean flag) {
            out.u8('b').u8(flag ? 1 : 0);
        } else if (value instanceof byte[] binary) {
            out.u8('x').blob(binary);
        } else if (value instanceof Double || value instanceof Float) {
            out.u8(value instanceof Float ? 'f' : 'd').i64(Double.doubleToLongBits(((Number) value).doubleValue()));
        } else if (value instanceof Long number) {
            out.u8('l').i64(number);
        } else if (value instanceof Integer || value instanceof Short || value instanceof Byte) {
            out.u8(value instanceof Integer ? 'i' : value instanceof Short ? 'h' : 't')
                    .i64(((Number) value).longValue());
        } else {
            throw new IllegalArgumentException("argument of " + value.getClass().getName()
                    + " (expected: String, number, Boolean, byte[] or VOID)");
        }
    }

    static Map<String, Object> arguments(BinaryReader in) {
        int count = in.count();
        if (count == 0) {
            return Map.of();
        }
        Map<String, Object> arguments = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            arguments.put(in.text(), argument(in));
        }
        return arguments;
    }

    private static Object argument(BinaryReader in) {
        int type = in.u8();
        return switch (type) {
            case 'v' -> BindingSpec.VOID;
            case 's' -> in.text();
            case 'b' -> in.u8() != 0;
            case 'x' -> in.blob();
            case 'd' -> Double.longBitsToDouble(in.i64());
            case 'f' -> (float) Double.longBitsToDouble(in.i64());
            case 'l' -> in.i64();
            case 'i' -> (int) in.i64();
            case 'h' -> (short) in.i64();
            case 't' -> (byte) in.i64();
            default -> throw new MalformedMessageException("argument type " + type);
        };
    }
}
