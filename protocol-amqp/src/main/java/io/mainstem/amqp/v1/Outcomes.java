package io.mainstem.amqp.v1;

import io.mainstem.routing.Outcome;
import java.util.Date;
import java.util.Map;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.Modified;
import org.apache.qpid.proton.amqp.messaging.Rejected;
import org.apache.qpid.proton.amqp.messaging.Released;
import org.apache.qpid.proton.amqp.messaging.Source;
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
        if (undeliverableHere || notBeforeMs > 0) {
            return new Outcome.Modified(failed, undeliverableHere, notBeforeMs);
        }
        return failed ? Outcome.FAILED : MODIFIED;
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
