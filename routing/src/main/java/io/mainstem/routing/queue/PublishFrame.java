package io.mainstem.routing.queue;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.message.EnvelopeCodec;
import io.mainstem.routing.message.Message;
import io.mainstem.store.Delay;
import io.mainstem.store.ExpiryTimes;
import io.mainstem.store.Frame;
import io.mainstem.store.Frames;
import io.mainstem.store.ScheduleLane;

/**
 * The record of a published message. One that is delayed goes to the schedule whatever its durability, because it may
 * wait for years; all of its lanes are written down. Thread: any.
 */
final class PublishFrame {
    private PublishFrame() {}

    /** False if the message goes to memory only, or nowhere. */
    static boolean needed(Message message, Destinations destinations) {
        return !destinations.stored().isEmpty() || (message.envelope().delayed() && !destinations.nowhere());
    }

    /**
     * @param destinations at least one lane, and {@link #needed}
     * @throws IllegalArgumentException if keys and lanes are too many for a record
     */
    static Frame of(Message message, Destinations destinations) {
        byte[] envelope = EnvelopeCodec.encode(message.envelope());
        ExpiryTimes expiry = destinations.expiry();
        if (!message.envelope().delayed()) {
            return Frames.message(destinations.stored(), expiry, 0, envelope, message.sections());
        }
        long deliverAtMs = Math.min(message.envelope().deliverAtMs(), ScheduleLane.DELIVER_AT_MS_MAX);
        Delay delay = new Delay(deliverAtMs, destinations.stored(), destinations.inMemory(), destinations.bestEffort());
        return Frames.delayedMessage(delay, expiry, envelope, message.sections());
    }

    /**
     * As {@link #of}.
     *
     * @throws BrokerException if its head does not fit a record
     */
    static Frame checked(Message message, Destinations destinations) {
        try {
            return of(message, destinations);
        } catch (IllegalArgumentException tooLarge) {
            throw new BrokerException(
                    ErrorKind.INVALID_ARGUMENT,
                    "MS-0344",
                    String.valueOf(tooLarge.getMessage()),
                    "use fewer or shorter routing keys.");
        }
    }
}
