package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Which consumer of a queue gets a message")
final class ConsumerChoiceTest {
    private static final String QUEUE = "q";

    private final TestBroker broker = new TestBroker();
    private final TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    private TestConsumer consume(int priority) {
        return client.consume(QUEUE, new ConsumerSpec("c", false, false, false, priority, Outcome.RELEASED));
    }

    private void declareSingleActive() {
        client.declare(QUEUE, Map.of("x-single-active-consumer", true));
    }

    @Test
    @DisplayName(
            "x-single-active-consumer: the first gets everything; when it leaves, the next, what was unsettled first")
    void singleActiveConsumer() {
        declareSingleActive();
        TestConsumer first = consume(0).credit(2);
        TestConsumer second = consume(0).credit(10);
        TestConsumer third = consume(0).credit(10);
        client.send(QUEUE, "a", "b", "c");
        assertThat(first.texts(2)).containsExactly("a", "b");
        assertThat(second.texts()).isEmpty();

        first.close();

        assertThat(second.texts(3)).containsExactly("a", "b", "c");
        assertThat(third.texts()).isEmpty();
    }

    @Test
    @DisplayName("x-single-active-consumer: the next is the one with the highest priority")
    void singleActiveByPriority() {
        declareSingleActive();
        TestConsumer first = consume(0).credit(1);
        TestConsumer low = consume(1).credit(10);
        TestConsumer high = consume(2).credit(10);
        client.send(QUEUE, "a");
        assertThat(first.texts(1)).containsExactly("a");

        first.close();

        assertThat(high.texts(1)).containsExactly("a");
        assertThat(low.texts()).isEmpty();
    }

    @Test
    @DisplayName("x-single-active-consumer: one that waits and drains hears at once that there is nothing for it")
    void inactiveDrains() {
        declareSingleActive();
        client.send(QUEUE, "a");
        consume(0);
        TestConsumer second = consume(0).limit(5, true);

        second.awaitDrained();
        assertThat(second.texts()).isEmpty();
    }

    @Test
    @DisplayName("x-single-active-consumer must be true or false")
    void wrongType() {
        assertThat(TestClient.refusal(() -> client.declare(QUEUE, Map.of("x-single-active-consumer", "yes"))))
                .isEqualTo(ErrorKind.INVALID_ARGUMENT);
    }

    @Test
    @DisplayName("Consumer priority: the higher first as long as it has credit, then the lower")
    void priority() {
        client.declare(QUEUE);
        TestConsumer low = consume(-5).credit(10);
        TestConsumer high = consume(5).credit(2);
        client.send(QUEUE, "a", "b", "c");

        assertThat(high.texts(2)).containsExactly("a", "b");
        assertThat(low.texts(1)).containsExactly("c");
    }

    @Test
    @DisplayName("Consumer priority: the lower waits while the higher is about to ask for more, and no longer")
    void priorityAndMoreToCome() {
        client.declare(QUEUE);
        TestConsumer low = consume(1).credit(1000);
        TestConsumer high = consume(5).limit(2, false, true);
        client.send(QUEUE, "a", "b", "c", "d", "e", "f");
        assertThat(high.texts(2)).containsExactly("a", "b");
        assertThat(low.texts()).isEmpty();

        high.limit(4, false, true);
        assertThat(high.texts(2)).containsExactly("c", "d");
        assertThat(low.texts()).isEmpty();

        high.limit(4, false, false);
        assertThat(low.texts(2)).containsExactly("e", "f");

        high.limit(5, false, true);
        client.send(QUEUE, "g", "h");
        assertThat(high.texts(1)).containsExactly("g");
        assertThat(low.texts()).isEmpty();
        high.close(Outcome.ACCEPTED);
        assertThat(low.texts(1)).containsExactly("h");
    }

    @Test
    @DisplayName("One that asks for messages one by one, and gives its credit back in between, gets its share")
    void shareOfOneThatPolls() {
        client.declare(QUEUE);
        TestConsumer waiting = consume(0).credit(1000);
        TestConsumer polling = consume(0);
        int polled = 0;
        for (int number = 0; number < 20; number++) {
            polling.credit(1);
            client.send(QUEUE, "m" + number);
            polling.drain();
            polled += polling.texts().size();
        }

        assertThat(polled).isBetween(8, 12);
        assertThat(waiting.texts()).hasSize(20 - polled);
    }

    @Test
    @DisplayName("Who comes later shares what comes from then on, and does not make up for what went before")
    void laterConsumer() {
        client.declare(QUEUE);
        TestConsumer first = consume(0).credit(1000);
        client.send(QUEUE, "a", "b", "c", "d", "e", "f");
        assertThat(first.texts(6)).hasSize(6);
        TestConsumer second = consume(0).credit(1000);

        client.send(QUEUE, "1", "2", "3", "4");

        assertThat(first.texts(2)).hasSize(2);
        assertThat(second.texts(2)).hasSize(2);
    }

    @Test
    @DisplayName("An exclusive consumer is alone: others are refused, and it where there are others")
    void exclusive() {
        client.declare(QUEUE);
        ConsumerSpec alone = new ConsumerSpec("alone", true, false, false, 0, Outcome.RELEASED);
        TestConsumer first = consume(0);
        assertThat(TestClient.refusal(() -> client.consume(QUEUE, alone))).isEqualTo(ErrorKind.LOCKED);

        first.close();
        client.consume(QUEUE, alone);

        assertThat(TestClient.refusal(() -> consume(0))).isEqualTo(ErrorKind.LOCKED);
    }
}
