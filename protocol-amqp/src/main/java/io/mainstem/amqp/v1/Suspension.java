package io.mainstem.amqp.v1;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a link that is not attached but may be resumed (AMQP 1.0 part 2, 2.6.12, 2.6.13). Thread: the event
 * loop of the link it was, until {@link #moveTo} has completed.
 */
sealed interface Suspension permits InboundUnsettled, KeptConsumer {
    /** Bytes that it holds in memory. */
    long bytes();

    /** How long the terminus is kept without a link. */
    TerminusLife life();

    /** True if the terminus needs nothing of this from the event on that starts its time. */
    boolean isIdle();

    /** Completes on that event loop, to which it belongs from then on; with null if it could not go there. */
    CompletionStage<@Nullable Suspension> moveTo(Executor loop);

    /** The next link does not ask for what was unsettled: returns what it goes on with nevertheless. */
    @Nullable
    Suspension beginAnew();

    /** There is no use or no room for it any more; as far as it can be without this, the terminus stays. */
    void discard();

    /** Its time is over, and with it that of the terminus. */
    void expire();
}
