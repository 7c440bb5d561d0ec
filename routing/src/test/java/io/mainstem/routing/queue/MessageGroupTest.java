package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.selector.Dialect;
import io.mainstem.routing.selector.Selector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Message groups: JMSXGroupID, group-id")
final class MessageGroupTest {
    private static final String QUEUE = "q";
    private static final Colored TO = Colored.to(QUEUE);

    private final TestBroker broker = new TestBroker();
    private final TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    private List<Long> numbers(TestConsumer consumer) {
        return deliveries(consumer).stream().map(Colored::n).toList();
    }

    private List<Delivery> deliveries(TestConsumer consumer) {
        client.sync();
        return consumer.arrived();
    }

    /** Message n belongs to group n % groups. */
    private void publish(int messages, int groups, boolean durable) {
        client.declare(QUEUE);
        List<Message> all = new ArrayList<>();
        for (int n = 0; n < messages; n++) {
            Colored to = TO.ofGroup("group " + n % groups);
            all.add((durable ? to : to.nonDurable()).of("any", n));
        }
        client.publish(all);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("a group stays with the consumer that got its first message, in order; all groups are served")
    void sticky(boolean durable) {
        publish(60, 6, durable);
        TestConsumer a = client.consume(QUEUE);
        TestConsumer b = client.consume(QUEUE);
        Map<Long, TestConsumer> owner = new HashMap<>();
        List<Long> seen = new ArrayList<>();
        for (int round = 0; round < 60; round++) {
            for (TestConsumer each : List.of(a.credit(1), b.credit(1))) {
                for (Delivery delivery : deliveries(each)) {
                    long n = Colored.n(delivery);
                    assertThat(owner.computeIfAbsent(n % 6, group -> each)).isSameAs(each);
                    assertThat(seen.stream().filter(before -> before % 6 == n % 6))
                            .allMatch(before -> before < n);
                    seen.add(n);
                    each.settle(delivery, Outcome.ACCEPTED);
                }
            }
        }
        assertThat(seen).hasSize(60).doesNotHaveDuplicates();
        assertThat(owner.values()).contains(a, b);
    }

    @Test
    @DisplayName("a consumer without credit keeps its groups, and holds up no other group")
    void noCredit() {
        publish(4, 2, true);
        TestConsumer a = client.consume(QUEUE).credit(1);
        Colored.assertNext(a, 0L);
        TestConsumer b = client.consume(QUEUE).credit(10);

        Colored.assertNext(b, 1L, 3L);
        Colored.assertNext(a.credit(10), 2L);
    }

    @Test
    @DisplayName("when a consumer leaves, others get its groups, with what it has not settled first")
    void rebalanced() {
        publish(6, 1, true);
        TestConsumer a = client.consume(QUEUE).credit(3);
        List<Delivery> held = List.of(a.next(), a.next(), a.next());
        TestConsumer b = client.consume(QUEUE).credit(10);
        assertThat(numbers(b)).isEmpty();
        a.settle(held.get(0), Outcome.ACCEPTED);

        a.close();

        Colored.assertNext(b, 1L, 2L, 3L, 4L, 5L);
        client.publish(TO.ofGroup("group 0").of("any", 6));
        Colored.assertNext(b, 6L);
    }

    @Test
    @DisplayName("messages without a group go to anyone, as before")
    void ungrouped() {
        client.declare(QUEUE);
        client.publish(TO.ofGroup("g").of("any", 0));
        TestConsumer a = client.consume(QUEUE).credit(1);
        Colored.assertNext(a, 0L);
        TestConsumer b = client.consume(QUEUE).credit(10);
        client.publish(List.of(
                TO.of("any", 1), TO.ofGroup("g").of("any", 2), TO.ofGroup("").of("any", 3)));

        Colored.assertNext(b, 1L, 3L);
        Colored.assertNext(a.credit(1), 2L);
    }

    @Test
    @DisplayName("a group that starts under a selector is kept as well")
    void withSelector() {
        client.declare(QUEUE);
        TestConsumer red = client.consume(
                QUEUE,
                new ConsumerSpec(
                        "red", false, false, false, 0, Outcome.FAILED, Selector.compile(Dialect.JMS, "color = 'red'")));
        client.publish(List.of(
                TO.ofGroup("g").of("blue", 0),
                TO.ofGroup("g").of("red", 1),
                TO.ofGroup("h").of("blue", 2),
                TO.ofGroup("g").of("red", 3)));
        Colored.assertNext(red.credit(1), 1L);
        TestConsumer any = client.consume(QUEUE).credit(10);

        Colored.assertNext(any, 0L, 2L);
        Colored.assertNext(red.credit(10), 3L);
        red.close();
        Colored.assertNext(any, 1L, 3L);
    }

    private TestConsumer consume(String color, long credit) {
        Selector selector = Selector.compile(Dialect.JMS, "color = '" + color + "'");
        return client.consume(QUEUE, new ConsumerSpec(color, false, false, false, 0, Outcome.FAILED, selector))
                .credit(credit);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "what a group's consumer does not select goes to one other that does, in order; what it selects does not")
    void standIns(boolean durable) {
        client.declare(QUEUE);
        TestConsumer red = consume("red", 1);
        List<Message> messages = new ArrayList<>();
        for (int n = 0; n < 9; n++) {
            Colored to = durable ? TO.ofGroup("g") : TO.ofGroup("g").nonDurable();
            messages.add(to.of(n % 3 == 0 ? "red" : "blue", n));
        }
        client.publish(messages);
        Colored.assertNext(red, 0L);

        TestConsumer blue = consume("blue", 2);
        TestConsumer alsoBlue = consume("blue", 10);
        TestConsumer any = client.consume(QUEUE).credit(10);

        Colored.assertNext(blue, 1L, 2L);
        assertThat(numbers(alsoBlue)).isEmpty();
        assertThat(numbers(any)).as("what owner and stand-in may have").isEmpty();
        Colored.assertNext(red.credit(10), 3L, 6L);

        blue.close(Outcome.RELEASED);
        Colored.assertNext(alsoBlue, 1L, 2L, 4L, 5L, 7L, 8L);
        assertThat(numbers(any)).isEmpty();

        red.close(Outcome.RELEASED);
        Colored.assertNext(any, 0L, 3L, 6L);
    }

    @Test
    @DisplayName("what the group's consumer cannot deliver goes to another")
    void undeliverableHere() {
        publish(2, 1, true);
        TestConsumer a = client.consume(QUEUE).credit(1);
        Delivery first = a.next();
        TestConsumer b = client.consume(QUEUE).credit(10);

        a.settle(first, new Outcome.Modified(true, true));

        Colored.assertNext(b, 0L);
        Colored.assertNext(a.credit(5), 1L);
    }

    @Test
    @DisplayName("any number of groups takes the same memory: they go by buckets")
    void buckets() {
        int[] used = new int[MessageGroups.BUCKETS];
        for (int group = 0; group < 100_000; group++) {
            used[MessageGroups.bucket("customer-" + group)]++;
        }

        assertThat(Arrays.stream(used)).allMatch(count -> count > 30 && count < 300);
    }
}
