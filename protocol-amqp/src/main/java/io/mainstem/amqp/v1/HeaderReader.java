package io.mainstem.amqp.v1;

import io.mainstem.routing.message.MessageHeader;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Reads the header section in the encodings that clients use, straight from the frame, so that the rest can be copied
 * without it. Anything unusual is left where it is, for the section scanner. Thread: the connection's event loop.
 */
final class HeaderReader {
    private static final int HEADER_SECTION = 0x005370;
    private static final int DELIVERY_ANNOTATIONS_SECTION = 0x005371;
    private static final int LIST_0 = 0x45;
    private static final int LIST_8 = 0xc0;
    private static final int NULL = 0x40;
    private static final int TRUE = 0x41;
    private static final int FALSE = 0x42;
    private static final int UINT_0 = 0x43;
    private static final int UBYTE = 0x50;
    private static final int SMALL_UINT = 0x52;
    private static final int BOOLEAN = 0x56;
    private static final int UINT = 0x70;

    /** Most messages of a link say the same. */
    private MessageHeader last = MessageHeader.ABSENT;

    private int at;
    private boolean unusual;

    /**
     * Takes the header off, if it is an ordinary one.
     *
     * @param in reader index at the first section; moved behind the header if this returns one
     * @return the header, or null if the section scanner has to read the whole payload
     */
    @Nullable
    MessageHeader read(ByteBuf in, int end) {
        int start = in.readerIndex();
        if (end - start < 4 || in.getMedium(start) == DELIVERY_ANNOTATIONS_SECTION) {
            return null;
        }
        if (in.getMedium(start) != HEADER_SECTION) {
            return in.getByte(start) == 0 && in.getUnsignedByte(start + 1) == 0x53 ? MessageHeader.ABSENT : null;
        }
        int code = in.getUnsignedByte(start + 3);
        if (code == LIST_0) {
            return taken(in, start + 4, end, MessageHeader.ABSENT);
        }
        if (code != LIST_8 || end - start < 6) {
            return null;
        }
        int listEnd = start + 5 + in.getUnsignedByte(start + 4);
        int fields = in.getUnsignedByte(start + 5);
        if (listEnd > end) {
            return null;
        }
        at = start + 6;
        unusual = fields > 5;
        boolean durable = fields > 0 && bool(in, listEnd);
        int priority = fields > 1 ? (int) number(in, listEnd, UBYTE) : -1;
        long ttlMs = fields > 2 ? number(in, listEnd, UINT) : -1;
        boolean firstAcquirer = fields > 3 && bool(in, listEnd);
        long deliveryCount = fields > 4 ? Math.max(0, number(in, listEnd, UINT)) : 0;
        if (unusual || at != listEnd) {
            return null;
        }
        return taken(in, listEnd, end, header(durable, priority, ttlMs, firstAcquirer, deliveryCount));
    }

    private static @Nullable MessageHeader taken(ByteBuf in, int next, int end, MessageHeader header) {
        if (end - next >= 3 && in.getMedium(next) == DELIVERY_ANNOTATIONS_SECTION) {
            return null;
        }
        if (end - next >= 2 && in.getUnsignedByte(next + 1) != 0x53) {
            // Maybe delivery-annotations under another descriptor.
            return null;
        }
        in.readerIndex(next);
        return header;
    }

    private MessageHeader header(boolean durable, int priority, long ttlMs, boolean firstAcquirer, long deliveryCount) {
        boolean same = last.durable() == durable
                && last.priority() == priority
                && last.ttlMs() == ttlMs
                && last.firstAcquirer() == firstAcquirer
                && last.deliveryCount() == deliveryCount;
        if (!same) {
            last = new MessageHeader(durable, priority, ttlMs, firstAcquirer, deliveryCount);
        }
        return last;
    }

    private boolean bool(ByteBuf in, int end) {
        int code = code(in, end);
        if (code == BOOLEAN && at < end) {
            return in.getByte(at++) != 0;
        }
        unusual |= code != TRUE && code != FALSE && code != NULL;
        return code == TRUE;
    }

    /** ubyte or uint; -1 for null. */
    private long number(ByteBuf in, int end, int wide) {
        int code = code(in, end);
        if (code == NULL) {
            return -1;
        }
        if (wide == UINT && code == UINT_0) {
            return 0;
        }
        if (at < end && (code == UBYTE ? wide == UBYTE : code == SMALL_UINT && wide == UINT)) {
            return in.getUnsignedByte(at++);
        }
        if (code == UINT && wide == UINT && end - at >= 4) {
            at += 4;
            return in.getUnsignedInt(at - 4);
        }
        unusual = true;
        return -1;
    }

    private int code(ByteBuf in, int end) {
        if (at >= end) {
            unusual = true;
            return NULL;
        }
        return in.getUnsignedByte(at++);
    }
}
