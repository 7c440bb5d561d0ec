package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.Delivery;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.message.Message;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No delivery is started after a message's time is over [T-4]. */
@DisplayName("[T-4] expiry")
final class ExpiryTest {
    private final TestBroker broker = new TestBroker();
    private final TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    private Message message(boolean durable, String queue, long ttlMs, String text) {
        Messages message = Messages.to("", queue).arrived(broker.nowMs()).withTtl(ttlMs);
        return (durable ? message : message.nonDurable()).text(text);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anExpiredMessageIsNotDelivered(boolean durable) {
        client.declare("q");
        client.publish(message(durable, "q", 10, "late"));
        client.publish(message(durable, "q", 100, "in time"));

        broker.advanceMs(10);

        assertThat(client.consume("q").credit(5).texts(1)).containsExactly("in time");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aDeliveryUnderWayDoesNotExpire(boolean durable) {
        client.declare("q");
        client.publish(message(durable, "q", 10, "a"));
        TestConsumer consumer = client.consume("q").credit(1);
        Delivery delivery = consumer.next();

        broker.advanceMs(1000);
        client.sync();
        consumer.settle(delivery, Outcome.ACCEPTED);
        client.sync();

        assertThat(client.delete("q")).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theHeadOfAQueueExpiresWithoutAnyConsumer(boolean durable) {
        client.declare("dead");
        client.declare("q", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
        client.publish(message(durable, "q", 10, "a"));
        TestConsumer dead = client.consume("dead").credit(5);
        assertThat(dead.texts()).isEmpty();

        broker.advanceMs(10);

        Delivery delivery = dead.next();
        assertThat(delivery.message().envelope().deaths())
                .singleElement()
                .satisfies(death -> assertThat(death.reason()).isEqualTo("expired"));
        assertThat(delivery.message().envelope().expireAtMs()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("x-message-ttl and the message's own ttl: the lesser counts")
    void theQueuesTtlLimitsTheMessages(boolean durable) {
        client.declare("q", Map.of("x-message-ttl", 20L));
        client.publish(message(durable, "q", 1000, "by queue"));
        client.publish(message(durable, "q", 5, "by itself"));
        client.publish(message(durable, "q", -1, "by queue, too"));
        TestConsumer consumer = client.consume("q");

        broker.advanceMs(19);
        client.sync();
        assertThat(consumer.credit(1).texts(1)).containsExactly("by queue");
        broker.advanceMs(1);
        client.sync();

        assertThat(consumer.credit(5).texts()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("[M-4] an absolute-expiry-time before 1970 is over")
    void aMessageThatExpiredBefore1970IsTakenAndNotDelivered(boolean durable) {
        client.declare("q");
        Messages message = Messages.to("", "q").arrived(-10).withTtl(3);

        assertThat(client.publish((durable ? message : message.nonDurable()).text("a")))
                .isInstanceOf(PublishResult.Stored.class);

        assertThat(client.consume("q").credit(1).texts()).isEmpty();
    }

    @Test
    void queuesWithDifferentTtlsGetTheirOwn() {
        client.declare("short", Map.of("x-message-ttl", 10L));
        client.declare("long", Map.of("x-message-ttl", 1000L));
        client.bind("amq.fanout", "short", "");
        client.bind("amq.fanout", "long", "");
        client.publish(Messages.to("amq.fanout", "k").arrived(broker.nowMs()).text("m"));

        broker.advanceMs(10);
        client.sync();

        assertThat(client.consume("short").credit(1).texts()).isEmpty();
        assertThat(client.consume("long").credit(1).texts(1)).containsExactly("m");
    }

    @Test
    @DisplayName("a queue's ttl counts for messages that have left memory, too, consumers or not")
    void theQueuesTtlIsFoundInTheLog() {
        TestBroker small = new TestBroker(new ShardSettings(1024, 1 << 20, 1 << 20, 1 << 20, 1 << 30, 1 << 20));
        TestClient its = small.client();
        its.declare("dead");
        its.declare("other");
        its.declare(
                "q", Map.of("x-message-ttl", 10L, "x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
        its.bind("amq.fanout", "q", "");
        its.bind("amq.fanout", "other", "");
        for (int number = 0; number < 10; number++) {
            its.publish(Messages.to("amq.fanout", "k").arrived(small.nowMs()).text("m" + number));
        }
        TestConsumer dead = its.consume("dead").credit(20);
        assertThat(dead.texts()).isEmpty();

        small.advanceMs(10);

        assertThat(dead.nextTexts(10)).containsExactly("m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9");
        small.close();
    }

    @Test
    @DisplayName("a retry queue counts from when the message came into it, not from its publication")
    void theTtlOfARetryQueueStartsAnew() {
        client.declare(
                "retry",
                Map.of("x-message-ttl", 100L, "x-dead-letter-exchange", "", "x-dead-letter-routing-key", "work"));
        client.declare("work", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "retry"));
        client.publish(Messages.to("", "work").arrived(broker.nowMs()).text("m"));
        TestConsumer worker = client.consume("work").credit(10);

        broker.advanceMs(5000);
        worker.settle(worker.next(), new Outcome.Rejected("later"));
        client.sync();
        assertThat(worker.texts()).isEmpty();
        broker.advanceMs(100);

        assertThat(worker.nextText()).isEqualTo("m");
    }
}
