package io.mainstem.amqp.v1;

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
        return UnsettledMaps.encodedBytes(attach) + FRAME_HEADER_BYTES <= frameBytesMax;
    }

    /** The error with as much of its text as a frame takes. */
    static @Nullable ErrorCondition fit(@Nullable ErrorCondition error, int frameBytesMax) {
        if (error == null || error.getDescription() == null) {
            return error;
        }
        byte[] text = error.getDescription().getBytes(StandardCharsets.UTF_8);
        int room = frameBytesMax - ERROR_FRAME_BYTES;
        if (text.length <= room) {
            return error;
        }
        String cut = new String(text, 0, room, StandardCharsets.UTF_8);
        // The last character may have been cut in two.
        ErrorCondition shorter =
                new ErrorCondition(error.getCondition(), cut.substring(0, Math.max(0, cut.length() - 2)) + "...");
        shorter.setInfo(error.getInfo());
        return shorter;
    }
}
