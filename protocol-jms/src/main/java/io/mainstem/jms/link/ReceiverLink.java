package io.mainstem.jms.link;

import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** An attached receiver. Thread: any, see the package. */
public interface ReceiverLink {
    /** Allows so many more messages. */
    void addCredit(int messages);

    /**
     * Takes back the credit that is not used. When the stage completes, all that the broker has for this receiver within
     * the credit has been delivered, and the credit is 0.
     */
    CompletionStage<@Nullable Void> drain();

    /**
     * Ends a delivery. One that is settled already, or of a connection that is gone, is left as it is.
     *
     * @param transaction the acceptance takes effect when this commits; null: at once
     */
    void settle(LinkDelivery delivery, Outcome outcome, @Nullable TransactionId transaction);

    /**
     * Closes it; unsettled deliveries that the application has not seen must be settled before.
     *
     * @param end true ends a durable subscription's link for good, false leaves the subscription behind
     */
    CompletionStage<@Nullable Void> close(boolean end);
}
