package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.PerformativeCodec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Collections;
import java.util.Map;
import org.apache.qpid.proton.amqp.Symbol;
import org.jspecify.annotations.Nullable;

/**
 * Link state properties that our flows carry (AMQP 1.0 part 2, 2.7.4), encoded: {@value #BLOCKED} with the reason why
 * link credit is withheld, and once more with null when it is not any longer. Pure.
 */
final class LinkState {
    static final String BLOCKED = "mainstem:blocked";
    /** Of a flow, what is not the reason. */
    private static final int FLOW_BYTES = 96;

    /** Credit is not withheld any longer. */
    static final byte[] UNBLOCKED = encode(null);

    private LinkState() {}

    /** Credit is withheld, for this reason. */
    static byte[] blocked(String reason, int frameBytesMax) {
        return encode(FrameFit.cut(reason, frameBytesMax - FLOW_BYTES));
    }

    private static byte[] encode(@Nullable String reason) {
        Map<Symbol, @Nullable String> state = Collections.singletonMap(Symbol.valueOf(BLOCKED), reason);
        ByteBuf bytes = Unpooled.buffer();
        PerformativeCodec.ofThread().write(state, bytes);
        return ByteBufUtil.getBytes(bytes);
    }
}
