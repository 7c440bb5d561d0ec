package io.mainstem.transport.websocket;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.http.websocketx.WebSocketCloseStatus;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Takes the frames of a client apart (RFC 6455, 5), in whatever pieces they come and however large they are. Nothing is
 * gathered but headers and control frames: what there is of a payload goes on at once.
 *
 * <p>Thread: the connection's event loop.
 */
final class FrameReader {
    private static final int STATUS_MIN = 1000;
    private static final int STATUS_GAP_BEGIN = 1004;
    private static final int STATUS_GAP_END = 1007;
    private static final int STATUS_KNOWN_MAX = 1014;
    private static final int STATUS_OWN_MIN = 3000;
    private static final int STATUS_MAX = 4999;

    private final FrameHeader header = new FrameHeader();
    private final byte[] control = new byte[FrameHeader.CONTROL_BYTES_MAX];
    /** Bytes of the payload that have come. */
    private long done;

    private byte @Nullable [] ping;
    private int closeStatus;

    /**
     * Leaves nothing in the buffer but the unmasked payload of binary messages that was in it, one piece behind the other. What
     * follows a close frame is dropped.
     *
     * @param in is written to
     * @throws FrameViolation at the first byte that is wrong; the buffer has what came before
     */
    void read(ByteBuf in) {
        int begin = in.readerIndex();
        int end = begin;
        try {
            while (in.isReadable() && closeStatus == 0) {
                if (!header.isComplete()) {
                    if (header.add(in.readUnsignedByte()) && header.length() == 0) {
                        endFrame();
                    }
                    continue;
                }
                int count = (int) Math.min(header.length() - done, in.readableBytes());
                if (header.isControl()) {
                    gather(in, count);
                } else {
                    Masking.move(in, in.readerIndex(), end, count, Masking.at(header.key(), done));
                    in.skipBytes(count);
                    end += count;
                }
                done += count;
                if (done == header.length()) {
                    endFrame();
                }
            }
        } finally {
            in.setIndex(begin, end);
        }
    }

    private void gather(ByteBuf in, int count) {
        for (int i = 0; i < count; i++) {
            int at = (int) done + i;
            control[at] = (byte) (in.readByte() ^ (Masking.at(header.key(), at) >> 24));
        }
    }

    private void endFrame() {
        int length = (int) done;
        done = 0;
        header.next();
        if (header.opcode() == FrameHeader.PING) {
            ping = Arrays.copyOf(control, length);
        } else if (header.opcode() == FrameHeader.CLOSE) {
            closeStatus = status(length);
        }
    }

    /** 5.5.1: nothing, or a status and a text. */
    private int status(int length) {
        if (length == 0) {
            return WebSocketCloseStatus.NORMAL_CLOSURE.code();
        }
        if (length == 1) {
            throw FrameViolation.protocol("a close frame with half a status");
        }
        int status = Short.toUnsignedInt((short) (control[0] << Byte.SIZE | (control[1] & 0xFF)));
        if (!isStatus(status)) {
            throw FrameViolation.protocol("a close frame with status " + status + ", which may not be sent");
        }
        try {
            var unused = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(control, 2, length - 2));
        } catch (CharacterCodingException malformed) {
            throw FrameViolation.encoding("a close frame with a reason that is not UTF-8");
        }
        return status;
    }

    /** 7.4, and what IANA has registered since: 1012 to 1014. */
    private static boolean isStatus(int status) {
        if (status >= STATUS_MIN && status <= STATUS_KNOWN_MAX) {
            return status < STATUS_GAP_BEGIN || status >= STATUS_GAP_END;
        }
        return status >= STATUS_OWN_MIN && status <= STATUS_MAX;
    }

    /** The payload of the latest ping that was not taken yet, or null; older ones need no answer (5.5.3). */
    byte @Nullable [] takePing() {
        byte[] taken = ping;
        ping = null;
        return taken;
    }

    boolean hasPing() {
        return ping != null;
    }

    /** What the client's close frame says, 0 if none has come. */
    int closeStatus() {
        return closeStatus;
    }
}
