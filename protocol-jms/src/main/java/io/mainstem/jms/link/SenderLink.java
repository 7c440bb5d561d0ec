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

    CompletionStage<@Nullable Void> close();
}
