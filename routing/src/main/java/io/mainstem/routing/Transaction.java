package io.mainstem.routing;

import io.mainstem.routing.message.Message;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Publishes and settlements, over any queues, that take effect together or not at all [L-9].
 *
 * <p>Nothing of it is visible before {@link #commit}; then durable parts are one record group, so that also after a
 * crash all of it counts or none. What is not durable becomes visible with the rest. A transaction whose session ends
 * before {@code commit} was called is rolled back.
 *
 * <p>Thread: the session's event loop, for calls and for completions. Calls take effect with
 * {@link BrokerSession#flush}.
 */
public interface Transaction {
    /**
     * Routes one message, by the topology of this moment, and keeps it for the commit.
     *
     * @return {@code Stored}: will be in so many queues; {@code Unroutable}: goes nowhere, and it is for the caller to
     *     say whether that is {@link #rollbackOnly}; {@code Refused}: the transaction can only be rolled back now
     */
    PublishResult publish(Message message);

    /**
     * Settles deliveries {@code first} to {@code last} (both included) of a consumer of this session, or of another one
     * on the same event loop, with the commit. A delivery that is not this consumer's any more makes the transaction {@link #rollbackOnly}.
     *
     * @param settled what a rollback means to these deliveries: true = the consumer has forgotten them, so they return
     *     to their old place in the queue as failed once more; false = they stay with the consumer, unsettled
     */
    void settle(ConsumerHandle consumer, long first, long last, Outcome outcome, boolean settled);

    /** From now on {@link #commit} rolls back and fails with this reason; the first reason counts. */
    void rollbackOnly(BrokerException why);

    /**
     * Completes when everything is on disk and visible. Fails with {@link ErrorKind#ROLLED_BACK} if all of it was
     * undone instead, or with {@link ErrorKind#UNAVAILABLE} if the log failed and the outcome is unknown.
     */
    CompletionStage<@Nullable Void> commit();

    /** Undoes everything; completes when that has taken effect, before any delivery that is a consequence of it. */
    CompletionStage<@Nullable Void> rollback();
}
