package io.mainstem.routing.queue;

import io.mainstem.routing.Outcome;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** When settlements get into the log if nothing comes that they could ride with. */
@DisplayName("ADR 0051: settlements ride along, or go soon")
final class SettlementBatchTest {
    private final TestBroker broker = new TestBroker();
    private final TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    @Test
    @DisplayName("after 5 ms")
    void soon() {
        settleOne();

        TestBroker.await(() -> {
            broker.advanceMs(1);
            return unacknowledged() == 0;
        });
    }

    @Test
    @DisplayName("also while time stands because the clock was set back by an hour")
    void whileTheClockCatchesUp() {
        broker.advanceMs(-3_600_000);
        settleOne();

        TestBroker.await(() -> unacknowledged() == 0);
    }

    private void settleOne() {
        client.declare("q");
        client.publish(Messages.durable("q", "a"));
        TestConsumer consumer = client.consume("q").credit(1);
        consumer.settle(consumer.next(), Outcome.ACCEPTED);
        client.sync();
    }

    private long unacknowledged() {
        return client.ask(session -> session.status(List.of("q"))).get(0).unacknowledged();
    }
}
