package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.PerformativeCodec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.jspecify.annotations.Nullable;

/** Makes performatives fit into the frames that a peer takes, which may be as small as 512 bytes. Pure. */
final class FrameFit {
    /** Larger frames take any performative of ours; what the peer has named itself came in one frame, too. */
    private static final int SMALL_FRAME_BYTES = 256 << 10;
    /** Of a frame with an error, what is not the text. */
    private static final int ERROR_FRAME_BYTES = 160;

    private static final int FRAME_HEADER_BYTES = 8;
    private static final String ELLIPSIS = "...";

    private FrameFit() {}

    /** Leaves out what the peer can do without until the attach fits; false if it cannot. */
    static boolean fit(Attach attach, int frameBytesMax) {
        if (frameBytesMax >= SMALL_FRAME_BYTES || fits(attach, frameBytesMax)) {
            return true;
        }
        // First what the peer itself has said about its own end.
        if (attach.getSource() instanceof Source source) {
            source.setOutcomes();
            source.setDefaultOutcome(null);
            source.setDynamicNodeProperties(null);
        }
        if (attach.getTarget() instanceof Target target) {
            target.setDynamicNodeProperties(null);
        }
        attach.setProperties(null);
        return fits(attach, frameBytesMax);
    }

    private static boolean fits(Attach attach, int frameBytesMax) {
        return encodedBytes(attach) + FRAME_HEADER_BYTES <= frameBytesMax;
    }

    /** The error with as much of its text as a frame takes, and without its info if that is too much. */
    static @Nullable ErrorCondition fit(@Nullable ErrorCondition error, int frameBytesMax) {
        int room = frameBytesMax - ERROR_FRAME_BYTES;
        if (error == null || encodedBytes(error) <= room) {
            return error;
        }
        String text = error.getDescription() == null ? "" : error.getDescription();
        return new ErrorCondition(error.getCondition(), cut(text, room));
    }

    static int encodedBytes(Object performative) {
        ByteBuf bytes = Unpooled.buffer();
        PerformativeCodec.ofThread().write(performative, bytes);
        return bytes.readableBytes();
    }

    /** As much of the text as so many bytes of UTF-8 hold. */
    static String cut(String text, int bytesMax) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        if (utf8.length <= bytesMax) {
            return text;
        }
        int end = Math.max(0, bytesMax - ELLIPSIS.length());
        while (end > 0 && (utf8[end] & 0xc0) == 0x80) {
            end--;
        }
        return new String(utf8, 0, end, StandardCharsets.UTF_8) + ELLIPSIS;
    }
}
