package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.Delivery;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.Policy;
import io.mainstem.routing.message.Message;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("ordered retry: in a queue with groups and x-redelivery-delay a failed message keeps its group waiting")
final class OrderedRetryTest {
    private static final String QUEUE = "q";
    private static final long DELAY_MS = 1000;

    private final TestBroker broker = new TestBroker();
    private TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    private void declare() {
        client.declare(QUEUE, Map.of("x-redelivery-delay", DELAY_MS));
    }

    /** Message n belongs to group n % groups. */
    private void publish(int messages, int groups, boolean durable) {
        List<Message> all = new ArrayList<>();
        for (int n = 0; n < messages; n++) {
            Colored to = Colored.to(QUEUE).ofGroup("group " + n % groups);
            all.add((durable ? to : to.nonDurable()).of("any", n));
        }
        client.publish(all);
    }

    private List<Delivery> deliveries(TestConsumer consumer) {
        client.sync();
        return consumer.arrived();
    }

    private List<Long> numbers(List<Delivery> deliveries) {
        return deliveries.stream().map(Colored::n).toList();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("its later messages wait behind it, other groups flow, and then they come in order")
    void oneGroupWaits(boolean durable) {
        declare();
        publish(9, 3, durable);
        TestConsumer consumer = client.consume(QUEUE).credit(100);
        List<Long> seen = new ArrayList<>();

        List<Delivery> now = deliveries(consumer);
        assertThat(numbers(now)).as("one of each group").containsExactly(0L, 1L, 2L);
        consumer.settle(now.get(0), Outcome.FAILED);
        for (Delivery delivery : now.subList(1, 3)) {
            consumer.settle(delivery, Outcome.ACCEPTED);
        }
        for (now = deliveries(consumer); !now.isEmpty(); now = deliveries(consumer)) {
            for (Delivery delivery : now) {
                seen.add(Colored.n(delivery));
                consumer.settle(delivery, Outcome.ACCEPTED);
            }
        }
        assertThat(seen).containsExactly(4L, 5L, 7L, 8L);

        broker.advanceMs(DELAY_MS);
        List<Long> late = new ArrayList<>();
        for (int count = 0; count < 3; count++) {
            Delivery delivery = consumer.next();
            late.add(Colored.n(delivery));
            assertThat(delivery.failed()).isEqualTo(count == 0 ? 1 : 0);
            consumer.settle(delivery, Outcome.ACCEPTED);
        }
        assertThat(late).containsExactly(0L, 3L, 6L);
        assertThat(deliveries(consumer)).isEmpty();
    }

    @Test
    @DisplayName("the group goes on to wait when its consumer leaves and another comes")
    void anotherConsumer() {
        declare();
        publish(4, 2, true);
        TestConsumer first = client.consume(QUEUE).credit(100);
        List<Delivery> now = deliveries(first);
        first.settle(now.get(0), Outcome.FAILED).settle(now.get(1), Outcome.ACCEPTED);
        client.sync();
        first.close(Outcome.RELEASED);

        TestConsumer second = client.consume(QUEUE).credit(100);
        assertThat(numbers(deliveries(second))).containsExactly(3L);

        broker.advanceMs(DELAY_MS);
        Delivery again = second.next();
        assertThat(Colored.n(again)).isZero();
        second.settle(again, Outcome.ACCEPTED);
        assertThat(Colored.n(second.next())).isEqualTo(2L);
    }

    @Test
    @DisplayName("after a crash the failed one comes first, its group behind it")
    void crash() {
        declare();
        publish(3, 1, true);
        TestConsumer consumer = client.consume(QUEUE).credit(100);
        consumer.settle(consumer.next(), Outcome.FAILED);
        client.sync();

        broker.crash();

        client = broker.client();
        TestConsumer after = client.consume(QUEUE).credit(100);
        for (long n = 0; n < 3; n++) {
            Delivery delivery = after.next();
            assertThat(Colored.n(delivery)).isEqualTo(n);
            assertThat(deliveries(after)).as("one at a time").isEmpty();
            after.settle(delivery, Outcome.ACCEPTED);
        }
    }

    @Test
    @DisplayName("what is given up, rejected or purged lets the next one go")
    void theNextOneGoes() {
        client.declare(QUEUE, Map.of("x-redelivery-delay", DELAY_MS, "x-delivery-limit", 1L));
        publish(5, 1, true);
        TestConsumer consumer = client.consume(QUEUE).credit(100);
        consumer.settle(consumer.next(), new Outcome.Rejected("no"));
        Delivery failing = consumer.next();
        consumer.settle(failing, Outcome.FAILED);
        client.sync();
        broker.advanceMs(DELAY_MS);
        consumer.settle(consumer.next(), Outcome.FAILED);
        Delivery third = consumer.next();
        assertThat(Colored.n(third)).isEqualTo(2L);

        assertThat(client.purge(QUEUE)).isEqualTo(2);
        consumer.settle(third, Outcome.ACCEPTED);
        publish(2, 1, true);
        for (long n = 0; n < 2; n++) {
            Delivery delivery = consumer.next();
            assertThat(Colored.n(delivery)).isEqualTo(n);
            consumer.settle(delivery, Outcome.ACCEPTED);
        }
    }

    @Test
    @DisplayName("a transaction's settlement lets the next one go at its commit, and its rollback keeps the order")
    void transactions() {
        declare();
        publish(3, 1, true);
        TestConsumer consumer = client.consume(QUEUE).credit(100);
        Delivery first = consumer.next();
        TestTransaction undone = new TestTransaction(client);
        undone.settle(consumer, first.deliveryId(), first.deliveryId(), Outcome.ACCEPTED, true);
        undone.rollback();
        client.sync();
        broker.advanceMs(DELAY_MS);
        Delivery again = consumer.next();
        assertThat(Colored.n(again)).isZero();

        TestTransaction done = new TestTransaction(client);
        done.settle(consumer, again.deliveryId(), again.deliveryId(), Outcome.ACCEPTED, true);
        assertThat(deliveries(consumer)).isEmpty();
        done.commit();

        assertThat(Colored.n(consumer.next())).isEqualTo(1L);
    }

    @Test
    @DisplayName("when a policy ends the delay, what stands behind another still comes")
    void policyGoes() {
        client.declare(QUEUE);
        client.ask(session -> session.setPolicy(new Policy("p", "*", 0, Map.of("redelivery-delay", DELAY_MS))));
        publish(4, 1, true);
        TestConsumer consumer = client.consume(QUEUE).credit(100);
        Delivery first = consumer.next();
        assertThat(deliveries(consumer)).isEmpty();

        client.ask(session -> session.deletePolicy("p"));
        consumer.settle(first, Outcome.ACCEPTED);

        List<Long> rest = new ArrayList<>();
        for (int count = 0; count < 3; count++) {
            Delivery delivery = consumer.next();
            rest.add(Colored.n(delivery));
            consumer.settle(delivery, Outcome.ACCEPTED);
        }
        assertThat(rest).containsExactly(1L, 2L, 3L);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    @DisplayName("whatever fails, the first success of each message comes in the order of its group")
    void randomly(long seed) {
        Random random = new Random(seed);
        declare();
        int groups = 4;
        int messages = 60;
        publish(messages, groups, random.nextBoolean());
        List<TestConsumer> consumers = new ArrayList<>(List.of(
                client.consume(QUEUE).credit(1000), client.consume(QUEUE).credit(1000)));
        Map<Long, Long> lastOfGroup = new HashMap<>();
        int done = 0;
        for (int turn = 0; done < messages; turn++) {
            assertThat(turn).as("turns, seed %d", seed).isLessThan(2000);
            int at = random.nextInt(consumers.size());
            TestConsumer consumer = consumers.get(at);
            for (Delivery delivery : deliveries(consumer)) {
                long n = Colored.n(delivery);
                if (random.nextInt(3) == 0) {
                    consumer.settle(delivery, random.nextBoolean() ? Outcome.FAILED : Outcome.RELEASED);
                } else {
                    Long before = lastOfGroup.put(n % groups, n);
                    assertThat(n).as("seed %d", seed).isEqualTo(before == null ? n % groups : before + groups);
                    consumer.settle(delivery, Outcome.ACCEPTED);
                    done++;
                }
            }
            if (random.nextInt(6) == 0) {
                client.sync();
                consumer.arrived();
                consumer.close(Outcome.RELEASED);
                client.sync();
                consumers.set(at, client.consume(QUEUE).credit(1000));
            }
            if (random.nextInt(3) == 0) {
                broker.advanceMs(random.nextInt(1500));
            }
        }
    }
}
