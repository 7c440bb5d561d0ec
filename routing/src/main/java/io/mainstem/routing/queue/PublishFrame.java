package io.mainstem.routing.queue;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.message.EnvelopeCodec;
import io.mainstem.routing.message.Message;
import io.mainstem.store.Delay;
import io.mainstem.store.ExpiryTimes;
import io.mainstem.store.Frame;
import io.mainstem.store.Frames;
import io.mainstem.store.Route;
import io.mainstem.store.ScheduleLane;
import java.util.List;

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
        return Frames.delayedMessage(delay(message, destinations), expiry, envelope, message.sections());
    }

    /** The record of a message that is kept in {@code lane} until it is decided whether it is published at all. */
    static Frame held(Message message, Destinations destinations, Route lane) {
        byte[] envelope = EnvelopeCodec.encode(message.envelope());
        return message.envelope().delayed()
                ? Frames.delayedMessage(
                        lane, delay(message, destinations), destinations.expiry(), envelope, message.sections())
                : Frames.message(List.of(lane), 0, 0, envelope, message.sections());
    }

    private static Delay delay(Message message, Destinations destinations) {
        return new Delay(
                deliverAtMs(message), destinations.stored(), destinations.inMemory(), destinations.bestEffort());
    }

    /** When a delayed message becomes due, as the schedule can tell it. */
    static long deliverAtMs(Message message) {
        return Math.min(message.envelope().deliverAtMs(), ScheduleLane.DELIVER_AT_MS_MAX);
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
