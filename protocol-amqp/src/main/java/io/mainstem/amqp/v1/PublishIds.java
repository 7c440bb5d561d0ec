package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.routing.message.BrokerAnnotations;
import io.mainstem.routing.message.PublishId;
import io.mainstem.routing.message.SectionScanner.BareMessage;
import java.math.BigInteger;
import java.util.Map;
import java.util.UUID;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.jspecify.annotations.Nullable;

/**
 * Message-annotations that say which message this is, so that it is stored once however often it is sent (ADR 0027).
 * Thread: any.
 */
final class PublishIds {
    private static final String PRODUCER_ID = "x-opt-producer-id";
    private static final String PRODUCER_SEQUENCE = "x-opt-producer-seq";
    private static final String DEDUP_ID = "x-opt-dedup-id";

    private PublishIds() {}

    /**
     * What the annotations say, or null.
     *
     * @throws AmqpException invalid-field for the link
     */
    static @Nullable PublishId of(Map<String, @Nullable Object> annotations) {
        Object producer = annotations.get(PRODUCER_ID);
        Object sequence = annotations.get(PRODUCER_SEQUENCE);
        Object name = annotations.get(DEDUP_ID);
        try {
            if (producer != null || sequence != null) {
                return new PublishId.Sequence(text(PRODUCER_ID, producer), number(sequence));
            }
            return name == null ? null : new PublishId.Name(text(DEDUP_ID, name));
        } catch (IllegalArgumentException invalid) {
            throw AmqpException.link(
                    AmqpError.INVALID_FIELD,
                    "MS-0594 " + invalid.getMessage() + " fix: send " + PRODUCER_ID + " as a string together with "
                            + PRODUCER_SEQUENCE + " as a ulong or long, or " + DEDUP_ID + " as a string.");
        }
    }

    /** Those of the producer are for this broker alone: whoever forwards the message would claim to be that producer. */
    static BareMessage withoutProducer(BareMessage message) {
        return BrokerAnnotations.without(message, name -> name.equals(PRODUCER_ID) || name.equals(PRODUCER_SEQUENCE));
    }

    private static String text(String annotation, @Nullable Object value) {
        if (value instanceof String || value instanceof UUID) {
            return value.toString();
        }
        throw new IllegalArgumentException("annotation " + annotation + ": " + value + " (expected: string)");
    }

    private static long number(@Nullable Object value) {
        if (value instanceof Long || value instanceof Integer) {
            return ((Number) value).longValue();
        }
        if (value instanceof BigInteger large && large.bitLength() < Long.SIZE) {
            return large.longValue();
        }
        throw new IllegalArgumentException(
                "annotation " + PRODUCER_SEQUENCE + ": " + value + " (expected: number from 0 to 2^63-1)");
    }
}
