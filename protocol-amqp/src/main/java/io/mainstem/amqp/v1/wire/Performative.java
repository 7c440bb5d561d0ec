package io.mainstem.amqp.v1.wire;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import org.apache.qpid.proton.amqp.transport.AmqpError;

/** Reads the list of a performative that is decoded by hand: descriptor, list header, fields. */
final class Performative {
    static final int FLOW = 0x13;
    static final int TRANSFER = 0x14;
    static final int DISPOSITION = 0x15;

    private static final int DESCRIBED = 0x00;
    private static final int NULL = 0x40;
    private static final int TRUE = 0x41;
    private static final int FALSE = 0x42;
    private static final int UINT_0 = 0x43;
    private static final int LIST_0 = 0x45;
    private static final int UBYTE = 0x50;
    private static final int SMALL_UINT = 0x52;
    private static final int SMALL_ULONG = 0x53;
    private static final int BOOLEAN = 0x56;
    private static final int UINT = 0x70;
    private static final int ULONG = 0x80;
    private static final int BINARY_8 = 0xa0;
    private static final int SYMBOL_8 = 0xa3;
    private static final int BINARY_32 = 0xb0;
    private static final int SYMBOL_32 = 0xb3;
    private static final int LIST_8 = 0xc0;
    private static final int LIST_32 = 0xd0;

    private int fields;
    private int end;

    /**
     * Descriptor code of the performative at the reader index, which is not moved; -1 if it is not one of those read by
     * hand.
     */
    static int code(ByteBuf in, int frameEnd) {
        int at = in.readerIndex();
        if (frameEnd - at < 3 || in.getByte(at) != DESCRIBED) {
            return -1;
        }
        int type = in.getUnsignedByte(at + 1);
        if (type == SMALL_ULONG) {
            return known(in.getUnsignedByte(at + 2));
        }
        if (type == ULONG && frameEnd - at >= 10) {
            long value = in.getLong(at + 2);
            return value < 0 || value > TRANSFER + 1 ? -1 : known((int) value);
        }
        if (type == SYMBOL_8 || type == SYMBOL_32) {
            return symbolic(in, at + 1, frameEnd);
        }
        return -1;
    }

    private static int known(int code) {
        return code >= FLOW && code <= DISPOSITION ? code : -1;
    }

    private static int symbolic(ByteBuf in, int at, int frameEnd) {
        int lengthBytes = in.getUnsignedByte(at) == SYMBOL_8 ? 1 : 4;
        if (frameEnd - at < 1 + lengthBytes) {
            return -1;
        }
        long length = lengthBytes == 1 ? in.getUnsignedByte(at + 1) : in.getUnsignedInt(at + 1);
        int text = at + 1 + lengthBytes;
        if (length > frameEnd - text) {
            return -1;
        }
        return switch (in.toString(text, (int) length, StandardCharsets.US_ASCII)) {
            case "amqp:flow:list" -> FLOW;
            case "amqp:transfer:list" -> TRANSFER;
            case "amqp:disposition:list" -> DISPOSITION;
            default -> -1;
        };
    }

    /** Moves over descriptor and list header; {@link #fields} and {@link #end} are known then. */
    void open(ByteBuf in, int frameEnd) {
        in.skipBytes(1);
        switch (in.readUnsignedByte()) {
            case SMALL_ULONG -> in.skipBytes(1);
            case ULONG -> in.skipBytes(8);
            case SYMBOL_8 -> in.skipBytes(in.readUnsignedByte());
            default -> in.skipBytes(in.readInt());
        }
        need(in, 1, frameEnd);
        int list = in.readUnsignedByte();
        if (list == LIST_0) {
            fields = 0;
            end = in.readerIndex();
            return;
        }
        long size;
        if (list == LIST_8) {
            need(in, 2, frameEnd);
            size = in.readUnsignedByte() - 1L;
            fields = in.readUnsignedByte();
        } else if (list == LIST_32) {
            need(in, 8, frameEnd);
            size = in.readUnsignedInt() - 4;
            long count = in.readUnsignedInt();
            // A field takes a byte at least, so a larger count cannot be true.
            fields = count > frameEnd - in.readerIndex() ? Integer.MAX_VALUE : (int) count;
        } else {
            throw malformed("performative is not a list but has type 0x" + Integer.toHexString(list));
        }
        if (size < 0 || size > frameEnd - in.readerIndex() || fields > size) {
            throw malformed("performative's list is larger than its frame");
        }
        end = in.readerIndex() + (int) size;
    }

    /** Fields present, nulls counted. */
    int fields() {
        return fields;
    }

    /** Checks that the fields took exactly the list's bytes. */
    void close(ByteBuf in) {
        if (in.readerIndex() != end) {
            throw malformed("performative's fields do not fill its list exactly");
        }
    }

    /** uint, or {@code absent} if null. */
    long uint(ByteBuf in, long absent) {
        int type = type(in);
        return switch (type) {
            case UINT_0 -> 0;
            case SMALL_UINT -> in.readUnsignedByte();
            case UINT -> in.readUnsignedInt();
            case NULL -> absent;
            default -> throw unexpected("uint", type);
        };
    }

    boolean bool(ByteBuf in, boolean absent) {
        int type = type(in);
        return switch (type) {
            case TRUE -> true;
            case FALSE -> false;
            case BOOLEAN -> in.readByte() != 0;
            case NULL -> absent;
            default -> throw unexpected("boolean", type);
        };
    }

    int ubyte(ByteBuf in, int absent) {
        int type = type(in);
        return switch (type) {
            case UBYTE -> in.readUnsignedByte();
            case NULL -> absent;
            default -> throw unexpected("ubyte", type);
        };
    }

    /** Moves over a binary; its length, or -1 if null. */
    int skipBinary(ByteBuf in) {
        int type = type(in);
        long length;
        switch (type) {
            case BINARY_8 -> length = in.readUnsignedByte();
            case BINARY_32 -> length = in.readUnsignedInt();
            case NULL -> {
                return -1;
            }
            default -> throw unexpected("binary", type);
        }
        if (length > end - in.readerIndex()) {
            throw malformed("binary is longer than its performative");
        }
        in.skipBytes((int) length);
        return (int) length;
    }

    /** True if the next field is null, which is then read. */
    boolean skipNull(ByteBuf in) {
        if (in.readerIndex() < end && in.getUnsignedByte(in.readerIndex()) == NULL) {
            in.skipBytes(1);
            return true;
        }
        return false;
    }

    /** Index after the last field. */
    int end() {
        return end;
    }

    private int type(ByteBuf in) {
        need(in, 1, end);
        return in.readUnsignedByte();
    }

    private static void need(ByteBuf in, int bytes, int limit) {
        if (limit - in.readerIndex() < bytes) {
            throw malformed("performative ends too early");
        }
    }

    private static AmqpException unexpected(String wanted, int type) {
        return malformed("field has type 0x" + Integer.toHexString(type) + " (expected: " + wanted + ")");
    }

    static AmqpException malformed(String text) {
        return AmqpException.connection(AmqpError.DECODE_ERROR, text);
    }
}
