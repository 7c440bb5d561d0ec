package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.Outcome;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class ShardBrokerTest {
    private final MemoryShardStore store = new MemoryShardStore();
    private final ShardBroker broker = ShardBroker.open(
            store, ShardSettings.forHeap(1 << 30), () -> Instant.ofEpochMilli(1_000_000), "test", cause -> {});

    @AfterEach
    void close() {
        broker.close();
    }

    @Test
    void aDurableMessageIsStoredAndDelivered() {
        try (TestClient client = new TestClient(broker)) {
            client.declare("q");
            client.send("q", "a", "b", "c");

            TestConsumer consumer = client.consume("q").credit(10);

            assertThat(consumer.nextTexts(3)).containsExactly("a", "b", "c");
            consumer.settle(0, 2, Outcome.ACCEPTED);
            assertThat(consumer.texts()).isEmpty();
        }
    }
}
