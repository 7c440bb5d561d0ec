package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.TransferFrame;
import io.netty.buffer.ByteBuf;
import io.netty.util.collection.IntObjectHashMap;
import java.util.Map;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.messaging.Rejected;
import org.apache.qpid.proton.amqp.messaging.Released;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.transaction.TransactionalState;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.jspecify.annotations.Nullable;

/**
 * Which outcomes a sender's source can take (AMQP 1.0 part 3, 3.5.3). A link whose source cannot take the one that is due is
 * detached, with an error that names the delivery by its tag; so the tags of deliveries without an answer are kept where the
 * source leaves outcomes out, and only there.
 *
 * <p>Thread: the connection's event loop.
 */
final class SourceOutcomes {
    private static final Symbol DELIVERY_TAG = Symbol.valueOf("delivery-tag");

    private final boolean rejected;
    private final boolean released;
    private final IntObjectHashMap<Binary> tags = new IntObjectHashMap<>(4);

    private SourceOutcomes(boolean rejected, boolean released) {
        this.rejected = rejected;
        this.released = released;
    }

    /** A source that names none takes all. */
    static SourceOutcomes of(Attach request) {
        Symbol[] named = request.getSource() instanceof Source source ? source.getOutcomes() : null;
        boolean all = named == null || named.length == 0;
        return new SourceOutcomes(
                all || Capabilities.has(named, Rejected.DESCRIPTOR_SYMBOL),
                all || Capabilities.has(named, Released.DESCRIPTOR_SYMBOL));
    }

    /** The first frame of a delivery came. */
    void begins(int deliveryId, TransferFrame transfer, ByteBuf in) {
        if (!rejected || !released) {
            tags.put(deliveryId, new Binary(transfer.tag(in)));
        }
    }

    /** Nothing more is said about it. */
    void ends(int deliveryId) {
        if (!tags.isEmpty()) {
            tags.remove(deliveryId);
        }
    }

    /** True if the source takes this state, which ends the delivery then. */
    boolean takes(int deliveryId, DeliveryState state) {
        Object outcome = outcome(state);
        boolean takes = (rejected || !(outcome instanceof Rejected)) && (released || !(outcome instanceof Released));
        if (takes) {
            ends(deliveryId);
        }
        return takes;
    }

    /**
     * Why the link is detached instead of saying what its source does not take.
     *
     * @param whyReleased the reason if it is a release
     */
    ErrorCondition refusal(int deliveryId, DeliveryState state, ErrorCondition whyReleased) {
        ErrorCondition why = outcome(state) instanceof Rejected reason && reason.getError() != null
                ? reason.getError()
                : whyReleased;
        Binary tag = tags.remove(deliveryId);
        ErrorCondition error = new ErrorCondition(why.getCondition(), why.getDescription());
        error.setInfo(tag == null ? Map.of() : Map.of(DELIVERY_TAG, tag));
        return error;
    }

    private static @Nullable Object outcome(DeliveryState state) {
        return state instanceof TransactionalState transactional ? transactional.getOutcome() : state;
    }
}
