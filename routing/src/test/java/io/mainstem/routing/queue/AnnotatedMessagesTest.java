package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.message.AmqpValueReader;
import io.mainstem.routing.message.AmqpValueWriter;
import io.mainstem.routing.message.ModifiedAnnotations;
import io.mainstem.routing.selector.Dialect;
import io.mainstem.routing.selector.Selector;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("[messaging 3.4.5] issue 12 line 57: annotations of modified are merged into the message")
final class AnnotatedMessagesTest {
    private final TestBroker broker = new TestBroker();
    private TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    private static Outcome modified(boolean failed, Map<String, ?> annotations) {
        AmqpValueWriter entries = new AmqpValueWriter();
        new TreeMap<>(annotations).forEach((name, value) -> entries.symbol(name).value(value));
        byte[] map = new AmqpValueWriter().map(annotations.size(), entries).toByteArray();
        return new Outcome.Modified(failed, false, 0, ModifiedAnnotations.of(map));
    }

    private static Map<String, @Nullable Object> annotations(Delivery delivery) {
        return AmqpValueReader.messageAnnotations(
                delivery.message().sections(), delivery.message().envelope().offsets());
    }

    private static String text(Delivery delivery) {
        List<byte[]> sections = delivery.message().sections();
        return new String(sections.get(sections.size() - 1), StandardCharsets.UTF_8);
    }

    private void send(boolean durable, String... texts) {
        for (String text : texts) {
            client.publish(durable ? Messages.durable("q", text) : Messages.nonDurable("q", text));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("it comes again at its place, with all that was added; what is said later wins")
    void mergedAtItsPlace(boolean durable) {
        client.declare("q");
        send(durable, "a", "b");
        TestConsumer consumer = client.consume("q").credit(1);
        consumer.settle(consumer.next(), modified(true, Map.of("x-why", "busy", "x-tries", 1)));
        consumer.credit(1);
        Delivery second = consumer.next();
        assertThat(text(second)).isEqualTo("a");
        assertThat(annotations(second)).containsOnly(Map.entry("x-why", "busy"), Map.entry("x-tries", 1L));
        consumer.settle(second, modified(false, Map.of("x-tries", 2)));
        consumer.credit(1);

        Delivery third = consumer.next();
        assertThat(text(third)).isEqualTo("a");
        assertThat(annotations(third)).containsOnly(Map.entry("x-why", "busy"), Map.entry("x-tries", 2L));
        assertThat(third.failed()).isEqualTo(1);
        consumer.settle(third, Outcome.ACCEPTED).credit(1);
        assertThat(annotations(consumer.next())).isEmpty();
    }

    @Test
    @DisplayName("they are there after a crash and after a restart, and gone with their message")
    void keptOverRestarts() {
        client.declare("q");
        send(true, "a", "b", "c");
        TestConsumer consumer = client.consume("q").credit(3);
        consumer.settle(consumer.next(), modified(true, Map.of("x-n", 1)));
        consumer.settle(consumer.next(), modified(false, Map.of("x-n", 2)));
        consumer.settle(consumer.next(), modified(true, Map.of("x-n", 3)));
        client.sync();
        send(true, "behind: it takes what was settled before to the disk");

        broker.crash();
        broker.restart();
        broker.crash();
        client = broker.client();
        TestConsumer again = client.consume("q").credit(4);
        for (long n = 1; n <= 3; n++) {
            Delivery delivery = again.next();
            assertThat(annotations(delivery)).containsOnly(Map.entry("x-n", n));
            again.settle(delivery, Outcome.ACCEPTED);
        }
        Delivery plain = again.next();
        assertThat(annotations(plain)).isEmpty();
        again.settle(plain, Outcome.ACCEPTED);
        TestBroker.await(() -> {
            broker.passMs(10);
            client.sync();
            return TestClient.get(broker.broker().annotated()) == 0;
        });
    }

    @Test
    @DisplayName("they come again from a compacted log, at their place")
    void keptOverCompaction() {
        client.declare("q");
        client.declare("busy");
        send(true, "a");
        TestConsumer consumer = client.consume("q").credit(1);
        consumer.settle(consumer.next(), modified(true, Map.of("x-n", 1)));
        consumer.close();
        byte[] much = new byte[256 << 10];
        TestConsumer fast = client.consume("busy").credit(1000);
        for (int at = 0; at < 60; at++) {
            client.publish(Messages.to("", "busy").bytes(much));
            fast.settle(fast.next(), Outcome.ACCEPTED);
        }
        fast.close();
        broker.awaitCompaction(2_000);
        broker.crash();
        client = broker.client();

        assertThat(annotations(client.consume("q").credit(1).next())).containsOnly(Map.entry("x-n", 1L));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("a dead letter has them, also those of the outcome that made it one")
    void deadLettersHaveThem(boolean durable) {
        client.declare("dead");
        client.declare(
                "q", Map.of("x-delivery-limit", 1L, "x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
        send(durable, "a");
        TestConsumer consumer = client.consume("q").credit(2);
        consumer.settle(consumer.next(), modified(true, Map.of("x-first", "f")));
        consumer.settle(consumer.next(), modified(true, Map.of("x-last", "l")));
        client.sync();
        if (durable) {
            send(true, "behind");
            broker.crash();
            client = broker.client();
        }

        Delivery dead = client.consume("dead").credit(1).next();
        assertThat(text(dead)).endsWith("a");
        assertThat(annotations(dead)).containsOnly(Map.entry("x-first", "f"), Map.entry("x-last", "l"));
    }

    @Test
    @DisplayName("in a transaction they count with the commit, on disk with it")
    void inATransaction() {
        client.declare("q");
        send(true, "a");
        TestConsumer consumer = client.consume("q").credit(1);
        new TestTransaction(client)
                .settle(consumer, consumer.next(), modified(true, Map.of("x-n", 1)))
                .rollback();
        consumer.credit(1);
        Delivery second = consumer.next();
        assertThat(annotations(second)).isEmpty();
        new TestTransaction(client)
                .settle(consumer, second, modified(true, Map.of("x-n", 2)))
                .commit();
        broker.crash();
        client = broker.client();

        assertThat(annotations(client.consume("q").credit(1).next())).containsOnly(Map.entry("x-n", 2L));
    }

    @Test
    @DisplayName("selectors and browsers see them")
    void selectorsSeeThem() {
        client.declare("q");
        send(true, "a");
        Selector selector = Selector.compile(Dialect.SQL, "m.x_n = 1");
        TestConsumer choosy = client.consume("q", spec(selector, false)).credit(1);
        TestConsumer any = client.consume("q").credit(1);
        Delivery first = any.next();
        any.settle(first, modified(false, Map.of("x_n", 1)));

        assertThat(annotations(choosy.next())).containsOnly(Map.entry("x_n", 1L));
    }

    @Test
    @DisplayName("what belongs to the broker cannot be set that way")
    void ownedAreLeftOut() {
        client.declare("q");
        send(true, "a");
        TestConsumer consumer = client.consume("q").credit(2);
        consumer.settle(consumer.next(), modified(false, Map.of("x-opt-deaths", "none", "x-mine", true)));

        assertThat(annotations(consumer.next())).containsOnly(Map.entry("x-mine", true));
    }

    private static ConsumerSpec spec(@Nullable Selector selector, boolean browse) {
        return new ConsumerSpec("c", false, browse, false, 0, Outcome.FAILED, selector);
    }
}
