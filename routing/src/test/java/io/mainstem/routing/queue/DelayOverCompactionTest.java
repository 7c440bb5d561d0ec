package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.Outcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("[L-7] [L-8] a message that waits for years pins no log")
final class DelayOverCompactionTest {
    private static final long TEN_YEARS_MS = 3653L * 24 * 3_600_000;
    private static final long QUIET_MS = 61_000;
    private static final String LARGE = "x".repeat(60_000);

    private final TestBroker broker = new TestBroker(ShardSettings.forHeap(1 << 30), 1 << 20);
    private TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    private void traffic() {
        TestConsumer consumer = client.consume("busy").credit(100);
        for (int i = 0; i < 100; i++) {
            client.publish(Messages.to("", "busy").text(LARGE));
            var delivery = consumer.next();
            consumer.settle(delivery, Outcome.ACCEPTED);
        }
        consumer.close();
    }

    @Test
    @DisplayName("ten years ahead: it is moved to a compacted file, survives crash and restart there, and comes")
    void tenYearsInACompactedFile() {
        client.declare("q");
        client.declare("busy");
        long dueMs = broker.nowMs() + TEN_YEARS_MS;
        client.publish(
                Messages.to("", "q").arrived(broker.nowMs()).deliverAt(dueMs).text("late"));
        traffic();

        broker.awaitCompaction(QUIET_MS);
        broker.crash();
        broker.restart();
        client = broker.client();
        TestConsumer consumer = client.consume("q").credit(9);

        broker.advanceMs(dueMs - 1 - broker.nowMs());
        assertThat(consumer.texts()).isEmpty();
        broker.advanceMs(1);

        assertThat(consumer.texts(1)).containsExactly("late");
    }
}
