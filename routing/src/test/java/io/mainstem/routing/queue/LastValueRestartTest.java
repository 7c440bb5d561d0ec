package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.Delivery;
import io.mainstem.routing.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** x-last-value-key across crashes. */
@DisplayName("[L-8] last-value queues after a crash (ADR 0049)")
final class LastValueRestartTest {
    private static final Map<String, Object> BY_COLOR = Map.of("x-last-value-key", "color");

    private final TestBroker broker = new TestBroker();
    private TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    private void crash() {
        client.sync();
        broker.crash();
        client = broker.client();
    }

    /** The first one is with a consumer when the second replaces it. */
    private TestConsumer replacedInFlight() {
        client.declare("q", BY_COLOR);
        TestConsumer consumer = client.consume("q").credit(1);
        client.publish(Colored.to("q").of("red", 1));
        assertThat(Colored.n(consumer.next())).isEqualTo(1);
        client.publish(Colored.to("q").of("red", 2));
        return consumer;
    }

    @Test
    @DisplayName("a replaced message that was in flight does not come again as long as the newer one waits")
    void theNewerOneWaits() {
        replacedInFlight();

        crash();

        Colored.assertNext(client.consume("q").credit(10), 2);
    }

    @Test
    @DisplayName(
            "a replaced message that was in flight, and that nobody has settled, may come again behind the newer one,"
                    + " flagged as redelivered")
    void theNewerOneIsDoneWith() {
        TestConsumer consumer = replacedInFlight();
        Delivery newer = consumer.credit(1).next();
        consumer.settle(newer, Outcome.ACCEPTED);

        crash();

        Delivery again = client.consume("q").credit(10).next();
        assertThat(Colored.n(again)).isEqualTo(1);
        assertThat(again.acquired()).isTrue();
    }

    @Test
    @DisplayName("many such queues are read at a time after a start, none waits for the others for ever")
    void manyQueues() {
        List<String> queues = new ArrayList<>();
        for (int number = 0; number < 30; number++) {
            String queue = "q" + number;
            client.declare(queue, BY_COLOR);
            for (int n = 0; n < 20; n++) {
                client.publish(Colored.to(queue).of("color " + n % 2, n));
            }
            queues.add(queue);
        }

        crash();

        for (String queue : queues) {
            Colored.assertNext(client.consume(queue).credit(10), 18, 19);
        }
    }
}
