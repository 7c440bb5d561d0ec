package io.mainstem.jms.link;

import io.mainstem.jms.destination.MainstemDestination;
import org.jspecify.annotations.Nullable;

/**
 * A receiver to be attached.
 *
 * @param source queue or topic; a topic may have the words {@code *} and {@code #}
 * @param selector null: all messages
 * @param noLocal leaves out what this connection sends
 * @param browse copies of a queue's messages, none is taken
 * @param subscription null on queues and for an unnamed subscription that ends with its link
 */
public record ReceiverRequest(
        MainstemDestination source,
        @Nullable String selector,
        boolean noLocal,
        boolean browse,
        @Nullable Subscription subscription) {}
