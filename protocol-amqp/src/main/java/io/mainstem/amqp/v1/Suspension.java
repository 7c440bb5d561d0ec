package io.mainstem.amqp.v1;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * What is kept of a link that is not attached but may be resumed (AMQP 1.0 part 2, 2.6.12, 2.6.13). Thread: the event
 * loop of the link it was, until {@link #moveTo} has completed.
 */
sealed interface Suspension permits InboundUnsettled, ResumableConsumer {
    /** Bytes that it holds in memory. */
    long bytes();

    /** How long it is kept without a link, ms; negative = until it is asked for. */
    long keptMs();

    /** Completes on that event loop, to which it belongs from then on. */
    CompletionStage<Suspension> moveTo(Executor loop);

    /** What was unsettled is not asked for any more, or there is no room to keep it; the terminus stays. */
    void discard();

    /** Its time is over, and with it that of the terminus. */
    void expire();
}
