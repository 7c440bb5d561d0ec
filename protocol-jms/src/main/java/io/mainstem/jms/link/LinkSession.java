package io.mainstem.jms.link;

import io.mainstem.jms.destination.MainstemDestination;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A session: an order of its own, and transactions. Thread: any, see the package. */
public interface LinkSession {
    /**
     * Opens a way to send.
     *
     * @param target where all goes, or null: each message says so itself
     */
    CompletionStage<SenderLink> attachSender(@Nullable MainstemDestination target);

    /** Opens a way to receive; it has no credit yet. */
    CompletionStage<ReceiverLink> attachReceiver(ReceiverRequest request, DeliveryListener listener);

    /** The coordinator of this session's transactions, made when first asked for. */
    Coordinator coordinator();

    /** Ends it with all its links: unsettled deliveries go back, open transactions are undone. */
    CompletionStage<@Nullable Void> close();
}
