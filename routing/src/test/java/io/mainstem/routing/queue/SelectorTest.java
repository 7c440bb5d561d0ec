package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.selector.BindingFilter;
import io.mainstem.routing.selector.Dialect;
import io.mainstem.routing.selector.Selector;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("[S-11] Consumers of a queue with a selector")
final class SelectorTest {
    private static final String QUEUE = "q";

    private TestBroker broker = new TestBroker();
    private TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    private static ConsumerSpec spec(String selector, boolean browse, int priority) {
        return new ConsumerSpec(
                "c", false, browse, false, priority, Outcome.FAILED, Selector.compile(Dialect.JMS, selector));
    }

    private TestConsumer consume(String selector) {
        return client.consume(QUEUE, spec(selector, false, 0));
    }

    private void publish(String... colors) {
        client.declare(QUEUE);
        List<Message> messages = new ArrayList<>();
        for (int n = 0; n < colors.length; n++) {
            messages.add(Colored.to(QUEUE).of(colors[n], n));
        }
        client.publish(messages);
    }

    /** Numbers of what has come up to now. */
    private List<Long> numbers(TestConsumer consumer) {
        client.sync();
        return consumer.arrived().stream().map(Colored::n).toList();
    }

    private long tests() {
        return TestClient.get(broker.broker().selectorTests());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("get what matches, in order; the rest stays for others, in order")
    void matchingAndOthers(boolean durable) {
        client.declare(QUEUE);
        for (int n = 0; n < 10; n++) {
            Colored message = durable ? Colored.to(QUEUE) : Colored.to(QUEUE).nonDurable();
            client.publish(message.of(n % 3 == 0 ? "red" : "blue", n));
        }

        Colored.assertNext(consume("color = 'red'").credit(100), 0L, 3L, 6L, 9L);
        assertThat(numbers(consume("color = 'green'").credit(100))).isEmpty();
        Colored.assertNext(client.consume(QUEUE).credit(100), 1L, 2L, 4L, 5L, 7L, 8L);
    }

    @Test
    @DisplayName("do not hold up one that takes anything, nor get what that one has")
    void besideAnUnfilteredConsumer() {
        publish("blue", "blue", "red", "blue");
        TestConsumer green = consume("color = 'green'").credit(10);
        TestConsumer red = consume("color = 'red'").credit(10);
        TestConsumer any = client.consume(QUEUE).credit(2);

        Colored.assertNext(any, 0L, 1L);
        Colored.assertNext(red, 2L);
        client.publish(Colored.to(QUEUE).of("green", 7));
        Colored.assertNext(green, 7L);
        Colored.assertNext(any.credit(10), 3L);
    }

    @Test
    @DisplayName("higher priority lanes first")
    void priorities() {
        client.declare(QUEUE);
        client.publish(Colored.to(QUEUE).withPriority(1).of("red", 1));
        client.publish(Colored.to(QUEUE).withPriority(8).of("blue", 2));
        client.publish(Colored.to(QUEUE).withPriority(8).of("red", 3));

        Colored.assertNext(consume("color = 'red'").credit(9), 3L, 1L);
    }

    @Test
    @DisplayName("find what was given back, whoever had it: released, failed, or of a consumer that left")
    void givenBack() {
        publish("red", "blue", "red", "red");
        TestConsumer any = client.consume(QUEUE).credit(3);
        List<Delivery> taken = List.of(any.next(), any.next(), any.next());
        TestConsumer red = consume("color = 'red'").credit(10);
        Colored.assertNext(red, 3L);

        any.settle(taken.get(2), Outcome.RELEASED);
        Colored.assertNext(red, 2L);
        any.close();
        Colored.assertNext(red, 0L);
    }

    @Test
    @DisplayName("get what they gave back themselves again, with its delivery count for the selector to see")
    void redelivered() {
        publish("red", "blue");
        TestConsumer first = consume("color = 'red' AND JMSXDeliveryCount = 1").credit(10);
        TestConsumer second = consume("color = 'red' AND JMSXDeliveryCount = 2").credit(10);
        Delivery delivery = first.next();

        first.settle(delivery, Outcome.FAILED);

        assertThat(Colored.n(second.next())).isZero();
        assertThat(numbers(first)).isEmpty();
    }

    @Test
    @DisplayName("do not get again what was undeliverable there; others with the same selector do")
    void excluded() {
        publish("red", "red");
        TestConsumer one = consume("color = 'red'").credit(1);
        Delivery delivery = one.next();
        one.settle(delivery, new Outcome.Modified(false, true));

        Colored.assertNext(one.credit(5), 1L);
        Colored.assertNext(consume("color = 'red'").credit(5), 0L);
    }

    @Test
    @DisplayName("that drain hear when nothing matches any more")
    void drain() {
        publish("red", "blue", "red");
        TestConsumer red = consume("color = 'red'");

        red.limit(10, true);

        red.awaitDrained();
        Colored.assertNext(red, 0L, 2L);
    }

    @Test
    @DisplayName("[T-4] do not get what has expired, though it is not at the head")
    void expiry() {
        client.declare(QUEUE);
        client.publish(Colored.to(QUEUE).of("blue", 1));
        client.publish(Colored.to(QUEUE).expiringAt(broker.nowMs() + 1000).of("red", 2));
        client.publish(Colored.to(QUEUE).of("red", 3));
        broker.advanceMs(2000);

        Colored.assertNext(consume("color = 'red'").credit(10), 3L);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("find after a restart or crash what they had not settled; a subscription's filter is in force again")
    void afterARestart(boolean cleanly) {
        publish("red", "blue", "red");
        client.declare("sub");
        Map<String, Object> red = Map.of(BindingFilter.JMS_SELECTOR, "color = 'red'");
        client.ask(session -> session.bind(new BindingSpec("amq.fanout", "sub", true, "", red)));
        TestConsumer before = consume("color = 'red'").credit(2);
        before.settle(before.next(), Outcome.ACCEPTED);
        before.next();
        client.sync();

        if (cleanly) {
            broker.restart();
        } else {
            broker.crash();
        }
        client = broker.client();

        // What a crash has left unsaid comes again.
        TestConsumer after = consume("color = 'red'").credit(10);
        List<Long> found = new ArrayList<>();
        while (!found.contains(2L)) {
            found.add(Colored.n(after.next()));
        }
        assertThat(found).doesNotContain(1L);
        client.publish(List.of(
                Colored.to("").through("amq.fanout").of("blue", 7),
                Colored.to("").through("amq.fanout").of("red", 8)));
        Colored.assertNext(client.consume("sub").credit(10), 8L);
    }

    @Test
    @DisplayName("that browse see what matches and take nothing")
    void browser() {
        publish("red", "blue", "red");
        client.publish(Colored.to(QUEUE).nonDurable().of("red", 5));

        TestConsumer browser = client.consume(QUEUE, spec("color = 'red'", true, 0));
        browser.limit(10, true);
        browser.awaitDrained();

        Colored.assertNext(browser, 0L, 2L, 5L);
        TestConsumer any = client.consume(QUEUE).credit(10);
        assertThat(List.of(any.next(), any.next(), any.next(), any.next()))
                .extracting(Colored::n)
                .containsExactlyInAnyOrder(0L, 1L, 2L, 5L);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("[L-8] a deep queue, cold and warm: each message is tested once per selector, not once per delivery")
    void oneTestPerMessage(boolean cold) {
        int count = 30_000;
        client.declare(QUEUE);
        for (int from = 0; from < count; from += 5_000) {
            List<Message> messages = new ArrayList<>();
            for (int n = from; n < from + 5_000; n++) {
                messages.add(Colored.to(QUEUE).of(n % 1000 == 999 ? "red" : "blue", n));
            }
            client.publish(messages);
        }
        if (cold) {
            broker.restart();
            client = broker.client();
        }
        TestConsumer red = consume("color = 'red'");
        for (int delivered = 0; delivered < 30; delivered++) {
            Delivery delivery = red.credit(1).next();
            assertThat(Colored.n(delivery)).isEqualTo(1000L * delivered + 999);
            red.settle(delivery, Outcome.ACCEPTED);
        }
        red.limit(100, true);
        red.awaitDrained();
        assertThat(tests()).isEqualTo(count);

        // The position outlives the consumer.
        red.close();
        TestConsumer next = consume("color = 'red'");
        next.limit(10, true);
        next.awaitDrained();
        assertThat(tests()).isEqualTo(count);
        assertThat(client.consume(QUEUE).credit(1).next())
                .satisfies(first -> assertThat(Colored.n(first)).isZero());
    }

    @Test
    @DisplayName("[F-1] of more than 64 different selectors on one queue are refused; unused ones make room")
    void atMost64Selectors() {
        client.declare(QUEUE);
        List<TestConsumer> consumers = new ArrayList<>();
        for (int i = 0; i < Scans.SELECTORS_MAX; i++) {
            consumers.add(consume("n = " + i));
        }
        consume("n = 0").close();

        assertThat(TestClient.refusal(() -> consume("n = 64"))).isEqualTo(ErrorKind.RESOURCE_LIMIT);

        consumers.get(7).close();
        client.publish(Colored.to(QUEUE).of("red", 64));
        Colored.assertNext(consume("n = 64").credit(1), 64L);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    @DisplayName(
            "Any mix of selectors, browsers, credit and outcomes: nothing is lost, doubled or given to the wrong one")
    void model(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        String[] colors = {"red", "blue", "green", "gray"};
        client.declare(QUEUE);
        Set<Long> left = new TreeSet<>();
        long published = 0;
        List<TestConsumer> consumers = new ArrayList<>();
        List<String> wanted = new ArrayList<>();
        for (int step = 0; step < 400; step++) {
            int what = random.nextInt(10);
            if (what < 3) {
                List<Message> messages = new ArrayList<>();
                for (int more = random.nextInt(1, 20); more > 0; more--) {
                    Colored to = Colored.to(QUEUE).withPriority(random.nextInt(3, 6));
                    left.add(published);
                    messages.add((random.nextInt(4) == 0 ? to.nonDurable() : to)
                            .of(colors[(int) (published % 4)], published));
                    published++;
                }
                client.publish(messages);
            } else if (what == 3 && consumers.size() < 6) {
                int color = random.nextInt(5);
                wanted.add(color == 4 ? "" : colors[color]);
                consumers.add(color == 4 ? client.consume(QUEUE) : consume("color = '" + colors[color] + "'"));
            } else if (what == 4 && !consumers.isEmpty()) {
                int at = random.nextInt(consumers.size());
                settle(consumers.get(at), wanted.get(at), left, random, colors);
                consumers.remove(at).close(Outcome.RELEASED);
                wanted.remove(at);
            } else if (!consumers.isEmpty()) {
                int at = random.nextInt(consumers.size());
                consumers.get(at).credit(random.nextInt(1, 8));
                settle(consumers.get(at), wanted.get(at), left, random, colors);
            }
        }
        consumers.forEach(consumer -> consumer.close(Outcome.RELEASED));

        for (int color = 0; color < 4; color++) {
            TestConsumer last = consume("color = '" + colors[color] + "'");
            last.limit(100_000, true);
            last.awaitDrained();
            int its = color;
            assertThat(numbers(last))
                    .as("seed=" + seed)
                    .containsExactlyInAnyOrderElementsOf(
                            left.stream().filter(n -> n % 4 == its).toList());
        }
    }

    private void settle(TestConsumer consumer, String color, Set<Long> left, SplittableRandom random, String[] colors) {
        client.sync();
        for (Delivery delivery : consumer.arrived()) {
            long n = Colored.n(delivery);
            assertThat(left).contains(n);
            if (!color.isEmpty()) {
                assertThat(colors[(int) (n % 4)]).isEqualTo(color);
            }
            int outcome = random.nextInt(4);
            if (outcome == 0) {
                consumer.settle(delivery, Outcome.RELEASED);
            } else if (outcome == 1) {
                consumer.settle(delivery, Outcome.FAILED);
            } else {
                consumer.settle(delivery, Outcome.ACCEPTED);
                left.remove(n);
            }
        }
        client.sync();
    }
}
