package io.mainstem.amqp.v1.wire;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Appends frames to a buffer. Stateless but for the codec; lists are always written with 32-bit headers or, where their
 * size is known to be small, with 8-bit ones. Thread: the connection's event loop.
 */
public final class FrameWriter {
    private static final int DOFF = 2;
    private static final int NULL = 0x40;
    private static final int TRUE = 0x41;
    private static final int FALSE = 0x42;
    private static final int UINT_0 = 0x43;
    private static final int SMALL_UINT = 0x52;
    private static final int SMALL_ULONG = 0x53;
    private static final int UINT = 0x70;
    private static final int BINARY_8 = 0xa0;
    private static final int LIST_8 = 0xc0;

    private final PerformativeCodec codec = PerformativeCodec.ofThread();

    /** Most bytes that {@link #beginTransfer} adds, frame header included. */
    public static final int TRANSFER_BYTES_MAX = 48;

    /** A whole frame with one performative, or with none for a heartbeat. */
    public void write(ByteBuf out, int type, int channel, @Nullable Object performative) {
        int start = begin(out, type, channel);
        if (performative != null) {
            codec.write(performative, out);
        }
        end(out, start);
    }

    /**
     * Opens a transfer frame; append its payload, then call {@link #end}.
     *
     * @param deliveryId negative = continuation without id, tag and format
     * @param tag the delivery-tag, in four bytes
     * @return to be given to {@link #end}
     */
    public int beginTransfer(
            ByteBuf out, int channel, int handle, long deliveryId, int tag, boolean settled, boolean more) {
        int start = begin(out, FrameReader.AMQP, channel);
        int list = beginList(out, Performative.TRANSFER);
        uint(out, handle);
        if (deliveryId < 0) {
            out.writeMedium(NULL << 16 | NULL << 8 | NULL);
        } else {
            uint(out, (int) deliveryId);
            out.writeShort(BINARY_8 << 8 | 4);
            out.writeInt(tag);
            out.writeByte(UINT_0);
        }
        out.writeByte(settled ? TRUE : FALSE);
        out.writeByte(more ? TRUE : FALSE);
        endList(out, list, 6);
        return start;
    }

    /**
     * Takes {@code more} back.
     *
     * @param at index of the last byte that {@link #beginTransfer} wrote
     */
    public void noMore(ByteBuf out, int at) {
        out.setByte(at, FALSE);
    }

    /** Fills in the size of the frame that began at {@code start}. */
    public void end(ByteBuf out, int start) {
        out.setInt(start, out.writerIndex() - start);
    }

    /**
     * A disposition for {@code first} to {@code last}.
     *
     * @param state encoded delivery state, or null for none
     */
    public void writeDisposition(
            ByteBuf out, int channel, boolean receiver, int first, int last, boolean settled, byte @Nullable [] state) {
        int start = begin(out, FrameReader.AMQP, channel);
        int list = beginList(out, Performative.DISPOSITION);
        out.writeByte(receiver ? TRUE : FALSE);
        uint(out, first);
        if (last == first) {
            out.writeByte(NULL);
        } else {
            uint(out, last);
        }
        out.writeByte(settled ? TRUE : FALSE);
        if (state == null) {
            endList(out, list, 4);
        } else if (out.writerIndex() - list + state.length < 250) {
            out.writeBytes(state);
            endList(out, list, 5);
        } else {
            endWideList(out, list, state, 5);
        }
        end(out, start);
    }

    /** Shifts the fields so far behind a 32-bit header. */
    private static void widen(ByteBuf out, int list) {
        int fieldsFrom = list + 3;
        int length = out.writerIndex() - fieldsFrom;
        byte[] fields = new byte[length];
        out.getBytes(fieldsFrom, fields);
        out.setByte(list, 0xd0);
        out.writerIndex(list + 9);
        out.writeBytes(fields);
    }

    /** A flow about the session, and about one link too if {@code handle} is not negative. */
    public void writeFlow(ByteBuf out, int channel, SessionWindow window, int handle, LinkFlow link) {
        int start = begin(out, FrameReader.AMQP, channel);
        int list = beginList(out, Performative.FLOW);
        uint(out, window.nextIncomingId());
        uint(out, window.incomingWindow());
        uint(out, window.nextOutgoingId());
        uint(out, Integer.MAX_VALUE);
        if (handle < 0) {
            endList(out, list, 4);
        } else {
            uint(out, handle);
            uint(out, link.deliveryCount());
            uint(out, link.credit());
            out.writeByte(NULL);
            out.writeByte(link.drain() ? TRUE : FALSE);
            byte[] properties = link.properties();
            if (properties == null) {
                endList(out, list, 9);
            } else {
                out.writeByte(FALSE);
                endWideList(out, list, properties, 11);
            }
        }
        end(out, start);
    }

    /** Ends a list with a field that may be longer than an 8-bit list. */
    private static void endWideList(ByteBuf out, int list, byte[] lastField, int fields) {
        widen(out, list);
        out.writeBytes(lastField);
        out.setInt(list + 1, out.writerIndex() - list - 5);
        out.setInt(list + 5, fields);
    }

    private static int begin(ByteBuf out, int type, int channel) {
        int start = out.writerIndex();
        out.ensureWritable(TRANSFER_BYTES_MAX);
        out.writeInt(0);
        out.writeByte(DOFF);
        out.writeByte(type);
        out.writeShort(channel);
        return start;
    }

    private static int beginList(ByteBuf out, int descriptor) {
        out.writeMedium(SMALL_ULONG << 8 | descriptor);
        int list = out.writerIndex();
        out.writeMedium(LIST_8 << 16);
        return list;
    }

    private static void endList(ByteBuf out, int list, int fields) {
        out.setByte(list + 1, out.writerIndex() - list - 2);
        out.setByte(list + 2, fields);
    }

    private static void uint(ByteBuf out, int value) {
        if (value == 0) {
            out.writeByte(UINT_0);
        } else if ((value & 0xff) == value) {
            out.writeShort(SMALL_UINT << 8 | value);
        } else {
            out.writeByte(UINT);
            out.writeInt(value);
        }
    }

    /** The session's half of a flow. */
    public interface SessionWindow {
        int nextIncomingId();

        int incomingWindow();

        int nextOutgoingId();
    }

    /** The link's half of a flow. */
    public interface LinkFlow {
        int deliveryCount();

        int credit();

        boolean drain();

        /** Link state properties, an encoded map with symbols as keys; null = none. */
        default byte @Nullable [] properties() {
            return null;
        }
    }
}
