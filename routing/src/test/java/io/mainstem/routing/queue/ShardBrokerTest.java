package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.Outcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class ShardBrokerTest {
    private final TestBroker broker = new TestBroker();

    @AfterEach
    void close() {
        broker.close();
    }

    @Test
    void aDurableMessageIsStoredAndDelivered() {
        try (TestClient client = broker.client()) {
            client.declare("q");
            client.send("q", "a", "b", "c");

            TestConsumer consumer = client.consume("q").credit(10);

            assertThat(consumer.nextTexts(3)).containsExactly("a", "b", "c");
            consumer.settle(0, 2, Outcome.ACCEPTED);
            assertThat(consumer.texts()).isEmpty();
        }
    }
}
