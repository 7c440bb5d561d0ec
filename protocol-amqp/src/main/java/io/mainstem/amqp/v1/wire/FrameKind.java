package io.mainstem.amqp.v1.wire;

import io.netty.buffer.ByteBuf;

/** Which way a frame's body is read. */
public enum FrameKind {
    FLOW,
    TRANSFER,
    DISPOSITION,
    /** By proton-j's codec. */
    OTHER;

    private static final int CLOSE = 0x18;

    /** Looks at the descriptor at the reader index. */
    public static FrameKind of(ByteBuf in, int end) {
        return switch (Performative.code(in, end)) {
            case Performative.FLOW -> FLOW;
            case Performative.TRANSFER -> TRANSFER;
            case Performative.DISPOSITION -> DISPOSITION;
            default -> OTHER;
        };
    }

    /** True if the body is a close in its usual encoding. */
    public static boolean isClose(ByteBuf in, int end) {
        int at = in.readerIndex();
        return end - at >= 3 && in.getMedium(at) == (0x53 << 8 | CLOSE);
    }
}
