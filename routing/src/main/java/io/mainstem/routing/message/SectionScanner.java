package io.mainstem.routing.message;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Finds the sections of an encoded AMQP 1.0 message (part 3, 3.2) and checks it as a whole: order of sections, sizes,
 * counts and nesting [D-5]. Steps over values by type code: linear in the bytes, data bodies are not touched. What it
 * lets through can be walked by every decoder later without a surprise [D-4].
 *
 * <p>Thread: any. Throws {@link MalformedMessageException} only.
 */
public final class SectionScanner {
    private static final int HEADER = 0x70;
    private static final int DELIVERY_ANNOTATIONS = 0x71;
    private static final int MESSAGE_ANNOTATIONS = 0x72;
    private static final int PROPERTIES = 0x73;
    private static final int APPLICATION_PROPERTIES = 0x74;
    private static final int DATA = 0x75;
    private static final int SEQUENCE = 0x76;
    private static final int VALUE = 0x77;
    private static final int FOOTER = 0x78;

    private static final Map<String, Integer> SYMBOLS = Map.of(
            "amqp:header:list", HEADER,
            "amqp:delivery-annotations:map", DELIVERY_ANNOTATIONS,
            "amqp:message-annotations:map", MESSAGE_ANNOTATIONS,
            "amqp:properties:list", PROPERTIES,
            "amqp:application-properties:map", APPLICATION_PROPERTIES,
            "amqp:data:binary", DATA,
            "amqp:amqp-sequence:list", SEQUENCE,
            "amqp:amqp-value:*", VALUE,
            "amqp:footer:map", FOOTER);

    private final SectionBytes bytes;
    private final int[] found = {-1, -1, -1, -1, -1, -1, -1, -1, -1};
    private int bareFrom;
    private int bodyKind;
    private int last;

    private SectionScanner(SectionBytes bytes) {
        this.bytes = bytes;
        this.bareFrom = bytes.size();
    }

    /**
     * Finds the sections of a message as it came, with or without header and delivery-annotations.
     *
     * @param pieces borrowed, taken as one sequence
     */
    public static Sections scan(List<byte[]> pieces) {
        return new SectionScanner(new SectionBytes(pieces)).scan();
    }

    /**
     * Scans a message as it came and leaves out header and delivery-annotations [D-2].
     *
     * @param pieces the caller must not change them afterwards: the result shares those it need not cut
     */
    public static BareMessage split(List<byte[]> pieces) {
        SectionBytes bytes = new SectionBytes(pieces);
        Sections sections = new SectionScanner(bytes).scan();
        if (sections.header() >= 0) {
            FieldTypes.checkHeader(bytes, sections.header());
        }
        MessageHeader header =
                sections.header() < 0 ? MessageHeader.ABSENT : MessageHeader.read(bytes, sections.header());
        int from = sections.bareFrom();
        return new BareMessage(header, tail(pieces, from), sections.offsets().shifted(-from));
    }

    /** Refuses a message that came from a peer with properties of the wrong type; nothing else reads them all. */
    public static void checkProperties(BareMessage message) {
        int at = message.offsets().properties();
        if (at >= 0) {
            FieldTypes.checkProperties(new SectionBytes(message.sections()), at);
        }
    }

    /** The pieces without their first {@code from} bytes; whole pieces are shared. */
    static List<byte[]> tail(List<byte[]> pieces, int from) {
        if (from == 0) {
            return pieces;
        }
        List<byte[]> tail = new ArrayList<>(pieces.size());
        int skip = from;
        for (byte[] piece : pieces) {
            if (skip == 0) {
                tail.add(piece);
            } else if (skip >= piece.length) {
                skip -= piece.length;
            } else {
                tail.add(Arrays.copyOfRange(piece, skip, piece.length));
                skip = 0;
            }
        }
        return tail;
    }

    private Sections scan() {
        int end = bytes.size();
        int at = 0;
        while (at < end) {
            at = section(at, end);
        }
        SectionOffsets offsets = new SectionOffsets(
                at(MESSAGE_ANNOTATIONS),
                at(PROPERTIES),
                at(APPLICATION_PROPERTIES),
                bodyKind == 0 ? -1 : at(bodyKind),
                at(FOOTER),
                bodyKind);
        return new Sections(at(HEADER), at(DELIVERY_ANNOTATIONS), bareFrom, offsets);
    }

    private int at(int kind) {
        return found[kind - HEADER];
    }

    private int section(int at, int end) {
        if (bytes.u8(at) != AmqpTypes.DESCRIBED) {
            throw new MalformedMessageException("no section begins at byte " + at + " (expected: 0x00 and descriptor)");
        }
        int descriptorCode = AmqpTypes.code(bytes, at + 1, end);
        int value = AmqpTypes.skip(bytes, at + 1, end, 1);
        int kind = kind(descriptorCode, at + 2, value);
        checkOrder(kind, at);
        int code = AmqpTypes.code(bytes, value, end);
        if (!fits(kind, code)) {
            throw new MalformedMessageException("section 0x" + Integer.toHexString(kind) + " at byte " + at
                    + " holds type 0x" + Integer.toHexString(code));
        }
        if (found[kind - HEADER] < 0) {
            found[kind - HEADER] = at;
        }
        if (kind >= DATA && kind <= VALUE) {
            bodyKind = kind;
        }
        if (kind >= MESSAGE_ANNOTATIONS && bareFrom == end) {
            bareFrom = at;
        }
        last = kind;
        int next = AmqpTypes.skip(bytes, value, end, 1);
        if (kind == HEADER || (kind >= MESSAGE_ANNOTATIONS && kind <= APPLICATION_PROPERTIES)) {
            AmqpTypes.checkValues(bytes, value, next);
        }
        return next;
    }

    private int kind(int code, int from, int to) {
        long kind = switch (code) {
            case AmqpTypes.ULONG_SMALL -> bytes.u8(from);
            case AmqpTypes.ULONG -> bytes.i64(from);
            case AmqpTypes.SYMBOL_8 -> SYMBOLS.getOrDefault(bytes.text(from + 1, to), -1);
            case AmqpTypes.SYMBOL_32 -> SYMBOLS.getOrDefault(bytes.text(from + 4, to), -1);
            default -> -1;
        };
        if (kind < HEADER || kind > FOOTER) {
            throw new MalformedMessageException("descriptor at byte " + (from - 1) + " names no section");
        }
        return (int) kind;
    }

    /** In ascending order; only data and amqp-sequence repeat, and a body is of one kind. */
    private void checkOrder(int kind, int at) {
        boolean repeats = kind == last && (kind == DATA || kind == SEQUENCE);
        boolean secondBody = kind <= VALUE && kind >= DATA && bodyKind != 0 && !repeats;
        if (secondBody || (kind <= last && !repeats)) {
            throw new MalformedMessageException("section 0x" + Integer.toHexString(kind) + " at byte " + at
                    + " after section 0x" + Integer.toHexString(last));
        }
    }

    private static boolean fits(int kind, int code) {
        return switch (kind) {
            case HEADER, PROPERTIES, SEQUENCE -> AmqpTypes.isList(code);
            case DATA -> AmqpTypes.isBinary(code);
            case VALUE -> true;
            default -> AmqpTypes.isMap(code);
        };
    }

    /**
     * Where the sections of a message begin; -1 = absent.
     *
     * @param bareFrom first byte after header and delivery-annotations
     * @param offsets from the first byte of the scanned pieces
     */
    public record Sections(int header, int deliveryAnnotations, int bareFrom, SectionOffsets offsets) {}

    /**
     * A message cut for storing.
     *
     * @param header what the header said, or its defaults
     * @param sections from message-annotations on
     * @param offsets within {@code sections}
     */
    public record BareMessage(MessageHeader header, List<byte[]> sections, SectionOffsets offsets) {}
}
