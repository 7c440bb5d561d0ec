package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.routing.message.MessageHeader;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A temporary node, which may go while links are attached: what is sent then is refused [J-7]. */
final class TemporaryTarget implements PublishTarget {
    private final PublishTarget node;
    private final Existence existence;

    /** Whether the node is still there. */
    interface Existence {
        /** @throws AmqpException not-found for the link if it is gone */
        void check();
    }

    TemporaryTarget(PublishTarget node, Existence existence) {
        this.node = node;
        this.existence = existence;
    }

    @Override
    public void publish(@Nullable MessageHeader header, List<byte[]> payload, long tag, InboundLink link) {
        try {
            existence.check();
        } catch (AmqpException gone) {
            link.reject(tag, gone.toErrorCondition());
            return;
        }
        node.publish(header, payload, tag, link);
    }
}
