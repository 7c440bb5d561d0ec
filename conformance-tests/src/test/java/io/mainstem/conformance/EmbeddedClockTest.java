package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.launcher.EmbeddedBroker;
import jakarta.jms.JMSConsumer;
import jakarta.jms.JMSContext;
import jakarta.jms.Queue;
import java.time.Duration;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** An application's tests do not wait: they move the clock of the broker they have embedded. */
final class EmbeddedClockTest {
    private static final Duration TEN_YEARS = Duration.ofDays(3653);

    @Test
    @DisplayName("[L-8] a message of ten years' delay comes when the clock has been moved by ten years")
    void aDelayOfTenYearsTakesNoTime() {
        try (EmbeddedBroker broker = EmbeddedBroker.builder().start();
                JMSContext context = new JmsConnectionFactory(broker.uri().toString()).createContext()) {
            Queue queue = context.createQueue("orders");
            JMSConsumer consumer = context.createConsumer(queue);
            context.createProducer().setDeliveryDelay(TEN_YEARS.toMillis()).send(queue, "anniversary");
            assertThat(consumer.receiveNoWait()).isNull();

            broker.advanceClock(TEN_YEARS);

            assertThat(Jms.receiveBodies(consumer, 1)).containsExactly("anniversary");
        }
    }

    @Test
    @DisplayName("[T-4] a message expires when the clock has been moved by its time to live")
    void aMessageExpiresAtOnce() {
        try (EmbeddedBroker broker = EmbeddedBroker.builder().start();
                JMSContext context = new JmsConnectionFactory(broker.uri().toString()).createContext()) {
            Queue queue = context.createQueue("orders");
            context.createProducer().setTimeToLive(60_000).send(queue, "for a minute");
            context.createProducer().send(queue, "for ever");

            broker.advanceClock(Duration.ofMinutes(1));

            assertThat(Jms.receiveBodies(context.createConsumer(queue), 1)).containsExactly("for ever");
        }
    }
}
