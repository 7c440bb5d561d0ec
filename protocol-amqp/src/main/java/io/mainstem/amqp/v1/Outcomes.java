package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.amqp.v1.wire.PerformativeCodec;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.message.MalformedMessageException;
import io.mainstem.routing.message.ModifiedAnnotations;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.Modified;
import org.apache.qpid.proton.amqp.messaging.Rejected;
import org.apache.qpid.proton.amqp.messaging.Released;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.jspecify.annotations.Nullable;

/** Delivery states of the wire as outcomes of the model (AMQP 1.0 part 3, 3.4). */
final class Outcomes {
    private static final Outcome MODIFIED = new Outcome.Modified(false, false);

    private static final Symbol DELIVERY_TIME = Symbol.valueOf("x-opt-delivery-time");

    private Outcomes() {}

    /** The outcome, or null if the state is none (absent, received, transactional). */
    static @Nullable Outcome of(@Nullable DeliveryState state) {
        if (state instanceof Accepted) {
            return Outcome.ACCEPTED;
        }
        if (state instanceof Released) {
            return Outcome.RELEASED;
        }
        if (state instanceof Rejected rejected) {
            return new Outcome.Rejected(reason(rejected));
        }
        if (state instanceof Modified modified) {
            return modified(modified);
        }
        return null;
    }

    /** What an unsettled delivery gets when its link goes [J-3]. */
    static Outcome onLoss(Source source) {
        if (source.getDefaultOutcome() instanceof DeliveryState state) {
            Outcome outcome = of(state);
            if (outcome != null) {
                return outcome;
            }
        }
        return Outcome.RELEASED;
    }

    private static Outcome modified(Modified modified) {
        boolean failed = Boolean.TRUE.equals(modified.getDeliveryFailed());
        boolean undeliverableHere = Boolean.TRUE.equals(modified.getUndeliverableHere());
        long notBeforeMs = notBefore(modified.getMessageAnnotations());
        ModifiedAnnotations annotations = annotations(modified.getMessageAnnotations());
        if (undeliverableHere || notBeforeMs > 0 || annotations != null) {
            return new Outcome.Modified(failed, undeliverableHere, notBeforeMs, annotations);
        }
        return failed ? Outcome.FAILED : MODIFIED;
    }

    /** What is to be merged into those of the message [3.4.5]. */
    private static @Nullable ModifiedAnnotations annotations(@Nullable Map<?, ?> annotations) {
        if (annotations == null || annotations.isEmpty()) {
            return null;
        }
        Map<Object, Object> named = new LinkedHashMap<>();
        annotations.forEach((name, value) -> {
            // Numbers are the specification's own.
            if (name instanceof Symbol) {
                named.put(name, value);
            }
        });
        ByteBuf encoded = Unpooled.buffer();
        PerformativeCodec.ofThread().write(named, encoded);
        try {
            return ModifiedAnnotations.of(ByteBufUtil.getBytes(encoded));
        } catch (MalformedMessageException malformed) {
            throw AmqpException.connection(
                    AmqpError.DECODE_ERROR, "message-annotations of modified: " + malformed.getMessage());
        }
    }

    /** When RabbitMQ's clients want it again: their delayed retry. */
    private static long notBefore(@Nullable Map<?, ?> annotations) {
        Object time = annotations == null ? null : annotations.get(DELIVERY_TIME);
        if (time instanceof Date date) {
            return date.toInstant().toEpochMilli();
        }
        return time instanceof Number ms ? ms.longValue() : 0;
    }

    private static String reason(Rejected rejected) {
        if (rejected.getError() == null || rejected.getError().getCondition() == null) {
            return "rejected";
        }
        return rejected.getError().getCondition().toString();
    }
}
