package io.mainstem.jms.link;

import io.mainstem.jms.message.EncodedMessage;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** An attached sender. Thread: any, see the package. */
public interface SenderLink {
    /**
     * Sends a message. Messages leave in the order of the calls, as soon as the broker gives credit.
     *
     * @param transaction takes effect when this commits; null: at once
     * @return completes when the broker has taken it: durable ones are on disk, or part of the transaction; fails with
     *     {@code JMSException} if it was refused, or the connection is lost and with it the answer
     */
    CompletionStage<@Nullable Void> send(EncodedMessage message, @Nullable TransactionId transaction);

    /**
     * As {@link #send}, for a message of a local transaction that nobody waits for before it is discharged: it leaves with
     * what is asked of this connection next, with the discharge at the latest, or at {@link #flush}.
     */
    default CompletionStage<@Nullable Void> sendLater(EncodedMessage message, TransactionId transaction) {
        return send(message, transaction);
    }

    /** What {@link #sendLater} has kept leaves now. */
    default void flush() {
        // Nothing was kept.
    }

    CompletionStage<@Nullable Void> close();
}
