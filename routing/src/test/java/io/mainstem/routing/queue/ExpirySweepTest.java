package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.selector.Dialect;
import io.mainstem.routing.selector.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages expire in time wherever they stand, and are dead-lettered then [T-4]. */
@DisplayName("[T-4] expiry of messages that are not at the head")
final class ExpirySweepTest {
    private final TestBroker broker = new TestBroker();
    private TestClient client = broker.client();
    private TestConsumer dead;

    @BeforeEach
    void declare() {
        client.declare("dead");
        client.declare("q", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
        dead = client.consume("dead").credit(100_000);
    }

    @AfterEach
    void close() {
        broker.close();
    }

    private Message message(boolean durable, long ttlMs, String text) {
        Messages message = Messages.to("", "q").arrived(broker.nowMs()).withTtl(ttlMs);
        return (durable ? message : message.nonDurable()).text(text);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void behindOneThatNeverExpires(boolean durable) {
        client.publish(message(durable, -1, "stays"));
        client.publish(message(durable, 5000, "later"));
        client.publish(message(durable, 1000, "sooner"));
        broker.advanceMs(999);
        assertThat(dead.texts()).isEmpty();

        broker.advanceMs(1);

        assertThat(dead.nextText()).isEqualTo("sooner");
        broker.advanceMs(4000);
        assertThat(dead.nextText()).isEqualTo("later");
        assertThat(client.consume("q").credit(5).texts(1)).containsExactly("stays");
    }

    @Test
    void whileAConsumerIsThereThatGrantsNoCredit() {
        TestConsumer consumer = client.consume("q");
        client.publish(message(true, -1, "stays"));
        client.publish(message(true, 1000, "goes"));

        broker.advanceMs(1000);

        assertThat(dead.nextText()).isEqualTo("goes");
        assertThat(consumer.texts()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("[T-5] behind one that was with a consumer at the last look and has come back to its old place since")
    void behindOneThatHasComeBack(boolean durable) {
        TestConsumer consumer = client.consume("q").credit(1);
        client.publish(message(durable, -1, "stays"));
        consumer.next();
        client.publish(message(durable, 1000, "sooner"));
        client.publish(message(durable, 60_000, "later"));
        broker.advanceMs(1000);
        assertThat(dead.nextText()).isEqualTo("sooner");
        client.sync();
        consumer.close(Outcome.RELEASED);
        client.sync();

        broker.advanceMs(60_000);

        assertThat(dead.nextText()).isEqualTo("later");
        assertThat(client.consume("q").credit(5).texts(1)).containsExactly("stays");
    }

    @Test
    void ofDifferentPriorities() {
        for (int priority = 0; priority < 10; priority++) {
            client.publish(Messages.to("", "q")
                    .withPriority(priority)
                    .arrived(broker.nowMs())
                    .withTtl(1000 + priority)
                    .text("m" + priority));
        }

        for (int priority = 0; priority < 10; priority++) {
            broker.advanceMs(priority == 0 ? 1000 : 1);
            assertThat(dead.nextText()).isEqualTo("m" + priority);
        }
    }

    @Test
    @DisplayName("in a deep queue of which most is on disk, also after a crash")
    void inADeepQueueAfterACrash() {
        List<Message> messages = new ArrayList<>();
        for (int number = 0; number < 6000; number++) {
            messages.add(message(true, number % 3 == 0 ? 60_000 : -1, "m" + number));
        }
        client.publish(messages);
        broker.crash();
        client = broker.client();
        dead = client.consume("dead").credit(100_000);
        assertThat(dead.texts()).isEmpty();

        broker.advanceMs(60_000);

        assertThat(dead.nextTexts(2000)).startsWith("m0", "m3").endsWith("m5997");
        assertThat(client.consume("q").credit(10_000).nextTexts(4000)).startsWith("m1", "m2", "m4");
    }

    @Test
    void oneThatIsGivenBackWhenItsTimeIsOver() {
        client.publish(message(true, 1000, "a"));
        TestConsumer consumer = client.consume("q").credit(1);
        Delivery delivery = consumer.next();
        broker.advanceMs(1000);
        consumer.limit(1, false);
        assertThat(dead.texts()).isEmpty();

        consumer.settle(delivery, Outcome.RELEASED);

        assertThat(dead.nextText()).isEqualTo("a");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("[M-4] ttl 0 delivers to who has credit right now, and expires otherwise")
    void ttlZeroIsForWhoHasCreditNow(boolean durable) {
        TestConsumer consumer = client.consume("q").credit(1);
        client.publish(List.of(message(durable, 0, "taken"), message(durable, 0, "too late")));

        assertThat(consumer.nextText()).isEqualTo("taken");
        assertThat(dead.nextText()).isEqualTo("too late");
        assertThat(consumer.credit(5).texts()).isEmpty();
    }

    @Test
    @DisplayName("[M-4] x-message-ttl 0 likewise")
    void aQueuesTtlOfZeroIsForWhoHasCreditNow() {
        client.declare(
                "now", Map.of("x-message-ttl", 0L, "x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
        TestConsumer consumer = client.consume("now").credit(1);
        client.publish(List.of(
                Messages.to("", "now").arrived(broker.nowMs()).text("taken"),
                Messages.to("", "now").arrived(broker.nowMs()).text("too late")));

        assertThat(consumer.nextText()).isEqualTo("taken");
        assertThat(dead.nextText()).isEqualTo("too late");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("what a consumer finds expired is given up no faster than it can be moved")
    void manyThatAreOverWhenAConsumerComes(boolean selecting) {
        int count = 12_000;
        List<Message> messages = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            messages.add(message(true, 1000, "m" + number));
        }
        client.publish(messages);
        broker.crash();
        client = broker.client();
        dead = client.consume("dead").credit(count);
        Selector selector = selecting ? Selector.compile(Dialect.JMS, "TRUE") : null;
        TestConsumer consumer =
                client.consume("q", new ConsumerSpec("c", false, false, false, 0, Outcome.FAILED, selector));

        broker.passMs(1001);
        consumer.credit(10);

        int most = 0;
        List<String> texts = new ArrayList<>();
        while (texts.size() < count) {
            most = Math.max(most, broker.deadLettersWaiting());
            texts.add(dead.nextText());
        }
        assertThat(most).isLessThanOrEqualTo(4096);
        assertThat(texts).startsWith("m0", "m1").endsWith("m" + (count - 1));
        assertThat(consumer.texts()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 8, 11})
    @DisplayName("[T-4] a time that is over while the queue is read through: those in front still come first")
    void overDuringALook(int readsBefore) {
        int count = 6000;
        List<Message> messages = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            messages.add(message(true, 1000, "m" + number));
        }
        client.publish(messages);
        broker.files().holdViewReadsAfter(readsBefore);
        broker.restart();
        client = broker.client();
        dead = client.consume("dead").credit(count);
        broker.files().awaitHeldViewRead();

        broker.advanceMs(1000);
        broker.files().letViewReadsGo();

        assertThat(dead.nextTexts(count))
                .isEqualTo(IntStream.range(0, count).mapToObj(i -> "m" + i).toList());
    }

    @Test
    @DisplayName("[T-4] what arrives while the queue is read through is not forgotten for what was found there")
    void arrivalsDuringALook() {
        ExpiryOrder order = new ExpiryOrder();
        order.unknown();
        order.lookedAt();
        order.arrived(9000);
        order.arrived(5000);

        order.known(false, 4000);
        assertThat(order.mixed).as("mixed among themselves").isTrue();

        order.lookedAt();
        order.arrived(3000);
        order.known(false, 4000);
        assertThat(order.mixed).as("before what was found").isTrue();

        order.lookedAt();
        order.arrived(5000);
        order.known(false, 4000);
        assertThat(order.mixed).as("all in order").isFalse();
        order.arrived(4500);
        assertThat(order.mixed).isTrue();
    }
}
