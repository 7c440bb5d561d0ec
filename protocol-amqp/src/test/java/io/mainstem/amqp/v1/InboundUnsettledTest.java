package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.TerminusExpiryPolicy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What is kept for a sender that comes back (AMQP 1.0 part 2, 2.6.13). */
final class InboundUnsettledTest {
    private final InboundUnsettled unsettled =
            new InboundUnsettled(new TerminusLife(false, TerminusExpiryPolicy.NEVER, 0));

    @Test
    @DisplayName("2.6.13: the next link waits until the last outcome is known")
    void waitsForOutcomes() {
        publish(0);
        CompletionStage<@Nullable Suspension> moved = unsettled.moveTo(Runnable::run);
        assertThat(moved.toCompletableFuture()).isNotDone();

        unsettled.answered(0, Accepted.getInstance(), false);

        assertThat(moved.toCompletableFuture()).isDone();
        assertThat(unsettled.outcomes()).containsEntry(new Binary(tag(0)), Accepted.getInstance());
    }

    @Test
    @DisplayName("2.6.13: an outcome that nobody will ever know is told as none, and nobody waits for it")
    void lostOutcome() {
        publish(0);
        CompletionStage<@Nullable Suspension> moved = unsettled.moveTo(Runnable::run);

        unsettled.lost(0);

        assertThat(moved.toCompletableFuture()).isDone();
        assertThat(unsettled.outcomes()).containsEntry(new Binary(tag(0)), null);
    }

    @Test
    @DisplayName("2.6.13: links that never settle and always say incomplete-unsettled are remembered only so far")
    void isBounded() {
        for (int id = 0; id < 100_000; id++) {
            if (id % 1_000 == 0) {
                unsettled.resume();
            }
            publish(id);
            unsettled.answered(id, Accepted.getInstance(), false);
        }
        unsettled.resume();

        assertThat(unsettled.outcomes()).hasSizeLessThan(10_000).containsKey(new Binary(tag(99_999)));
    }

    private void publish(int id) {
        unsettled.received(id, tag(id));
        unsettled.published(id);
    }

    private static byte[] tag(int id) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(id).array();
    }
}
