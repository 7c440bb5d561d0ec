package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.Delivery;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** x-redelivery-delay, x-redelivery-backoff, x-redelivery-delay-max, and what consumers ask for themselves. */
@DisplayName("[mapping 6] redelivery delay and exclusion")
final class RedeliveryDelayTest {
    private final TestBroker broker = new TestBroker();
    private TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    private void send(boolean durable, String text) {
        client.publish(durable ? Messages.durable("q", text) : Messages.nonDurable("q", text));
    }

    @ParameterizedTest
    @CsvSource({"fixed, 100 100 100 100 100", "linear, 100 200 300 350 350", "exponential, 100 200 350 350 350"})
    void theDelayGrowsAsDeclared(String backoff, String delays) {
        client.declare(
                "q",
                Map.of("x-redelivery-delay", 100L, "x-redelivery-backoff", backoff, "x-redelivery-delay-max", 350L));
        send(true, "a");
        TestConsumer consumer = client.consume("q").credit(10);
        Delivery delivery = consumer.next();
        int failed = 0;
        for (String delayMs : delays.split(" ", -1)) {
            consumer.settle(delivery, Outcome.FAILED);
            client.sync();
            broker.advanceMs(Long.parseLong(delayMs) - 1);
            assertThat(consumer.texts()).as("before %s ms", delayMs).isEmpty();

            broker.advanceMs(1);

            delivery = consumer.next();
            assertThat(delivery.failed()).isEqualTo(++failed);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void othersOvertakeAFailedMessageAndItComesBackCounted(boolean durable) {
        client.declare("q", Map.of("x-redelivery-delay", 1000L));
        send(durable, "a");
        send(durable, "b");
        TestConsumer consumer = client.consume("q").credit(1);
        consumer.settle(consumer.next(), Outcome.FAILED);
        assertThat(consumer.credit(1).nextText()).isEqualTo("b");
        assertThat(consumer.credit(1).texts()).isEmpty();

        broker.advanceMs(1000);

        Delivery again = consumer.next();
        assertThat(Messages.text(again)).isEqualTo("a");
        assertThat(again.failed()).isEqualTo(1);
    }

    @Test
    @DisplayName("attempts are exact across a crash; the rest of a delay is not waited for")
    void attemptsSurviveACrash() {
        client.declare(
                "q",
                Map.of(
                        "x-redelivery-delay",
                        1000L,
                        "x-delivery-limit",
                        2L,
                        "x-dead-letter-exchange",
                        "",
                        "x-dead-letter-routing-key",
                        "dead"));
        client.declare("dead");
        send(true, "a");
        for (int attempt = 0; attempt < 3; attempt++) {
            TestConsumer consumer = client.consume("q").credit(1);
            Delivery delivery = consumer.next();
            assertThat(delivery.failed()).isEqualTo(attempt);
            consumer.settle(delivery, Outcome.FAILED);
            client.sync();
            broker.crash();
            client = broker.client();
        }

        Delivery dead = client.consume("dead").credit(1).next();
        assertThat(dead.message().envelope().deaths().get(0).reason()).isEqualTo("delivery_limit");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("[mapping 5.4] modified with a delivery time comes back then, counted or not")
    void aConsumerSaysWhenItWantsItAgain(boolean failed) {
        client.declare("q");
        send(true, "a");
        TestConsumer consumer = client.consume("q").credit(10);
        consumer.settle(consumer.next(), new Outcome.Modified(failed, false, broker.nowMs() + 500));
        broker.advanceMs(499);
        assertThat(consumer.texts()).isEmpty();

        broker.advanceMs(1);

        assertThat(consumer.next().failed()).isEqualTo(failed ? 1 : 0);
    }

    @Test
    void whatIsPurgedOrDeletedWhileItWaitsIsGone() {
        client.declare("q", Map.of("x-redelivery-delay", 1000L));
        send(true, "a");
        TestConsumer consumer = client.consume("q").credit(1);
        consumer.settle(consumer.next(), Outcome.FAILED);
        client.sync();
        assertThat(client.delete("q")).isEqualTo(1);
        client.declare("q");

        broker.advanceMs(1000);

        assertThat(client.consume("q").credit(1).texts()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("undeliverable-here: who is left may take it; when nobody is for so long, it is dead-lettered")
    void whatNobodyCanTakeIsDeadLettered(boolean durable) {
        client.declare("dead");
        client.declare(
                "q",
                Map.of(
                        "x-exclusion-timeout", 1000L,
                        "x-dead-letter-exchange", "",
                        "x-dead-letter-routing-key", "dead"));
        TestConsumer dead = client.consume("dead").credit(5);
        send(durable, "a");
        TestConsumer first = client.consume("q").credit(5);
        first.settle(first.next(), new Outcome.Modified(false, true));
        TestConsumer second = client.consume("q");
        client.sync();
        broker.advanceMs(1000);
        assertThat(dead.texts()).isEmpty();

        second.credit(5);
        second.settle(second.next(), new Outcome.Modified(false, true));
        client.sync();
        broker.advanceMs(1000);

        Delivery given = dead.next();
        assertThat(Messages.text(given)).isEqualTo("a");
        assertThat(given.message().envelope().deaths().get(0).reason()).isEqualTo("rejected");
    }

    @Test
    void argumentsThatMakeNoSenseAreRefused() {
        for (Map<String, Object> wrong : List.<Map<String, Object>>of(
                Map.of("x-redelivery-delay", -1L),
                Map.of("x-redelivery-backoff", "linear"),
                Map.of("x-redelivery-delay", 5L, "x-redelivery-backoff", "random"))) {
            assertThat(TestClient.refusal(() -> client.declare("q", wrong)))
                    .as("%s", wrong)
                    .isEqualTo(ErrorKind.INVALID_ARGUMENT);
        }
    }
}
