package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.PerformativeCodec;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.jspecify.annotations.Nullable;

/** The unsettled maps of attach performatives: delivery-tag to delivery state (AMQP 1.0 part 2, 2.7.3). Pure. */
final class UnsettledMaps {
    private static final int FRAME_HEADER_BYTES = 8;

    private UnsettledMaps() {}

    /** What the peer says about its deliveries; a state may be null. */
    static Map<Binary, @Nullable DeliveryState> of(Attach request) {
        Map<Binary, @Nullable DeliveryState> states = new LinkedHashMap<>();
        if (request.getUnsettled() != null) {
            ((Map<?, ?>) request.getUnsettled()).forEach((tag, state) -> {
                if (tag instanceof Binary binary) {
                    states.put(binary, state instanceof DeliveryState known ? known : null);
                }
            });
        }
        return states;
    }

    /** Puts as many as fit into a frame of the peer; if they are not all, says so. */
    static void set(Attach reply, Map<Binary, @Nullable DeliveryState> outcomes, int frameBytesMax) {
        Map<Binary, @Nullable DeliveryState> map = new LinkedHashMap<>();
        reply.setUnsettled(map);
        int room = frameBytesMax - FRAME_HEADER_BYTES - encodedBytes(reply);
        for (Map.Entry<Binary, @Nullable DeliveryState> entry : outcomes.entrySet()) {
            DeliveryState state = entry.getValue();
            int bytes = entry.getKey().getLength() + 2 + (state == null ? 1 : encodedBytes(state));
            if (bytes + 8 > room) {
                reply.setIncompleteUnsettled(true);
                break;
            }
            room -= bytes;
            map.put(entry.getKey(), state);
        }
    }

    static int encodedBytes(Object performative) {
        ByteBuf bytes = Unpooled.buffer();
        PerformativeCodec.ofThread().write(performative, bytes);
        return bytes.readableBytes();
    }
}
