package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.message.Message;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What consumers say about deliveries, for stored messages and for those in memory (mapping 6). */
final class OutcomeTest {
    private final TestBroker broker = new TestBroker();
    private final TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    private void send(boolean durable, String... texts) {
        for (String text : texts) {
            client.publish(durable ? Messages.durable("q", text) : Messages.nonDurable("q", text));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void acceptedIsDone(boolean durable) {
        client.declare("q");
        send(durable, "a");
        TestConsumer consumer = client.consume("q").credit(5);

        consumer.settle(consumer.next(), Outcome.ACCEPTED).close();

        assertThat(client.consume("q").credit(5).texts()).isEmpty();
        assertThat(client.delete("q")).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("what goes back unseen says so at the next delivery, until somebody had it who does not say so")
    void unseen(boolean durable) {
        client.declare("q");
        send(durable, "a");
        TestConsumer consumer = client.consume("q").credit(5);
        consumer.settle(consumer.next(), Outcome.UNSEEN);
        Delivery second = consumer.next();
        consumer.settle(second, Outcome.UNSEEN);
        Delivery third = consumer.next();
        consumer.settle(third, Outcome.RELEASED);
        Delivery fourth = consumer.next();
        consumer.settle(fourth, Outcome.UNSEEN);
        Delivery fifth = consumer.next();

        assertThat(List.of(second, third, fourth, fifth)).allMatch(Delivery::acquired);
        assertThat(List.of(second, third, fourth, fifth))
                .extracting(Delivery::unseen)
                .containsExactly(true, true, false, false);
        assertThat(fifth.failed()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("[J-8] released leaves the failure count, and the message counts as acquired")
    void releasedIsDeliveredAgainWithoutFault(boolean durable) {
        client.declare("q");
        send(durable, "a");
        TestConsumer consumer = client.consume("q").credit(5);
        Delivery first = consumer.next();

        consumer.settle(first, Outcome.RELEASED);

        Delivery again = consumer.next();
        assertThat(first.acquired()).isFalse();
        assertThat(again.acquired()).isTrue();
        assertThat(again.failed()).isZero();
        assertThat(again.deliveryId()).isEqualTo(first.deliveryId() + 1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void modifiedAsFailedRaisesTheCount(boolean durable) {
        client.declare("q");
        send(durable, "a");
        TestConsumer consumer = client.consume("q").credit(5);

        consumer.settle(consumer.next(), Outcome.FAILED);
        Delivery second = consumer.next();
        consumer.settle(second, Outcome.FAILED);

        assertThat(second.failed()).isEqualTo(1);
        assertThat(consumer.next().failed()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void modifiedWithoutFaultLeavesTheCount(boolean durable) {
        client.declare("q");
        send(durable, "a");
        TestConsumer consumer = client.consume("q").credit(5);

        consumer.settle(consumer.next(), new Outcome.Modified(false, false));

        assertThat(consumer.next().failed()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("undeliverable here: not to this consumer again, but to others, and others' messages go on")
    void undeliverableHereGoesToAnotherConsumer(boolean durable) {
        client.declare("q");
        send(durable, "a", "b");
        TestConsumer picky = client.consume("q").credit(1);

        picky.settle(picky.next(), new Outcome.Modified(true, true)).credit(5);

        assertThat(picky.texts(1)).containsExactly("b");
        assertThat(client.consume("q").credit(5).nextText()).isEqualTo("a");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void rejectedWithoutADeadLetterExchangeIsDropped(boolean durable) {
        client.declare("q");
        send(durable, "a");
        TestConsumer consumer = client.consume("q").credit(5);

        consumer.settle(consumer.next(), new Outcome.Rejected("no"));

        assertThat(consumer.texts()).isEmpty();
        assertThat(client.delete("q")).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("[T-6] the first outcome of a delivery is final; later ones are ignored")
    void settlingTwiceIsIgnored(boolean durable) {
        client.declare("q");
        send(durable, "a", "b");
        TestConsumer consumer = client.consume("q").credit(2);
        Delivery first = consumer.next();

        consumer.settle(first, Outcome.ACCEPTED).settle(first, Outcome.RELEASED).settle(0, 1, Outcome.ACCEPTED);

        assertThat(consumer.credit(5).nextTexts(1)).containsExactly("b");
        assertThat(consumer.texts()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("[J-3] a lost consumer's deliveries get its default outcome, in order [T-5]")
    void aClosedSessionGivesBackWhatItHeld(boolean durable) {
        client.declare("q");
        TestClient other = broker.client();
        TestConsumer lost = other.consume("q").credit(3);
        send(durable, "a", "b", "c", "d");
        lost.nextTexts(3);

        other.close();

        TestConsumer consumer = client.consume("q").credit(4);
        List<Delivery> deliveries = List.of(consumer.next(), consumer.next(), consumer.next(), consumer.next());
        assertThat(deliveries).extracting(Messages::text).containsExactly("a", "b", "c", "d");
        assertThat(deliveries).extracting(Delivery::failed).containsExactly(1, 1, 1, 0);
        assertThat(deliveries).extracting(Delivery::acquired).containsExactly(true, true, true, false);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("[T-3] a message that failed more often than x-delivery-limit is dead-lettered")
    void theDeliveryLimitEndsRedelivery(boolean durable) {
        client.declare("dead");
        client.declare(
                "q", Map.of("x-delivery-limit", 1L, "x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
        send(durable, "a");
        TestConsumer consumer = client.consume("q").credit(5);

        consumer.settle(consumer.next(), Outcome.FAILED);
        consumer.settle(consumer.next(), Outcome.FAILED);

        Delivery dead = client.consume("dead").credit(1).next();
        Message message = dead.message();
        assertThat(Messages.text(dead)).isEqualTo("a");
        assertThat(message.envelope().deaths())
                .singleElement()
                .satisfies(death -> assertThat(death.reason()).isEqualTo("delivery_limit"));
        assertThat(consumer.texts()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aConsumerMayCloseWithAnotherOutcome(boolean durable) {
        client.declare("q");
        send(durable, "a");
        ConsumerSpec spec = new ConsumerSpec("c", false, false, false, 0, Outcome.FAILED);
        TestConsumer consumer = client.consume("q", spec).credit(1);
        consumer.next();

        consumer.close(Outcome.RELEASED);

        assertThat(client.consume("q").credit(1).next().failed()).isZero();
    }
}
