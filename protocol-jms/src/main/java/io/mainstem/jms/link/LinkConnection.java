package io.mainstem.jms.link;

import io.mainstem.jms.destination.DestinationKind;
import io.mainstem.jms.options.Endpoint;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** An open connection to a broker. After its loss every call fails. Thread: any, see the package. */
public interface LinkConnection {
    CompletionStage<LinkSession> openSession();

    /**
     * Makes a queue or topic that lives until {@link TemporaryNode#delete} or the end of this connection.
     *
     * @param address one that a lost connection had, to be had again; null: any. A broker may give another all the same
     */
    CompletionStage<TemporaryNode> createTemporary(DestinationKind kind, @Nullable String address);

    /**
     * Ends a durable subscription.
     *
     * @return fails with {@code InvalidDestinationException} if there is none, {@code JMSException} if it has consumers
     */
    CompletionStage<@Nullable Void> unsubscribe(Subscription subscription);

    /** Other brokers that hold the same queues, as this one says; may be empty. */
    List<Endpoint> failoverServers();

    /** Ends it; what is unsettled goes back to its queues. Completes when the broker has agreed or is gone. */
    CompletionStage<@Nullable Void> close();
}
