package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.BranchId;
import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.message.Message;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random publishes, deliveries, outcomes, purges and crashes, compared with plain lists after every step. More seeds:
 * {@code -DargLine="-Dshard.model.seeds=1000"}.
 */
final class ShardModelTest {
    private static final int STEPS = 40;
    private static final String DEAD = "dead";
    private static final List<String> QUEUES = List.of("stored", "in-memory", "limited", DEAD);
    private static final List<Outcome> OUTCOMES =
            List.of(Outcome.ACCEPTED, Outcome.RELEASED, Outcome.FAILED, new Outcome.Rejected("no"), Outcome.ACCEPTED);

    static LongStream someSeeds() {
        return LongStream.range(0, 10);
    }

    static LongStream manySeeds() {
        return LongStream.range(10, Long.getLong("shard.model.seeds", 120));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("someSeeds")
    @DisplayName("[T-5], [T-6], promise 2: the shard agrees with plain lists, crashes included")
    void theShardAgreesWithPlainLists(long seed) {
        new Run(seed).steps();
    }

    @Tag("simulation")
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("manySeeds")
    void theShardAgreesWithPlainListsForManySeeds(long seed) {
        new Run(seed).steps();
    }

    /** One entry as it should be. */
    private static final class Expected {
        final String text;
        final boolean stored;
        final int priority;
        final long order;
        int failed;
        boolean acquired;

        Expected(String text, boolean stored, int priority, long order) {
            this.text = text;
            this.stored = stored;
            this.priority = priority;
            this.order = order;
        }

        @Override
        public String toString() {
            return text + "/" + failed + "/" + acquired;
        }
    }

    /** One consumer with what it holds, by delivery id. */
    private static final class Attached {
        final TestConsumer consumer;
        final Map<Long, Expected> held = new LinkedHashMap<>();
        long taken;

        Attached(TestConsumer consumer) {
            this.consumer = consumer;
        }
    }

    private static final class Run {
        private final SplittableRandom random;
        private final Map<String, List<Expected>> ready = new LinkedHashMap<>();
        private final Map<String, Attached> consumers = new LinkedHashMap<>();
        private final TestBroker broker =
                TestBroker.onSimulatedDisk(new ShardSettings(8192, 4096, 32 << 10, 1 << 20, 1 << 30, 1 << 20));
        private TestClient client = broker.client();
        private long published;

        Run(long seed) {
            this.random = new SplittableRandom(seed);
            for (String queue : QUEUES) {
                ready.put(queue, new ArrayList<>());
            }
            client.declare("stored");
            client.declare("in-memory");
            client.declare(DEAD);
            client.declare(
                    "limited",
                    Map.of("x-delivery-limit", 1L, "x-dead-letter-exchange", "", "x-dead-letter-routing-key", DEAD));
        }

        void steps() {
            try (TestBroker closedAtTheEnd = broker) {
                for (int step = 0; step < STEPS; step++) {
                    step(QUEUES.get(random.nextInt(QUEUES.size())));
                }
                for (String queue : QUEUES) {
                    take(queue, 10_000);
                    assertThat(ready.get(queue)).isEmpty();
                }
                assertThat(closedAtTheEnd).isNotNull();
            }
        }

        private void step(String queue) {
            switch (random.nextInt(14)) {
                case 0, 1, 2, 3 -> publish(queue);
                case 4, 5, 6 -> take(queue, 1 + random.nextInt(20));
                case 7, 8, 9 -> settle(queue);
                case 10 -> closeOrPurge(queue);
                case 11, 12 -> transact(queue);
                default -> stop();
            }
        }

        private void publish(String queue) {
            if (queue.equals(DEAD)) {
                return;
            }
            boolean stored = !queue.equals("in-memory");
            List<Message> messages = new ArrayList<>();
            for (int count = random.nextInt(30); count > 0; count--) {
                String text = "m" + published++;
                int priority = random.nextInt(4) == 0 ? random.nextInt(10) : -1;
                Messages message = Messages.to("", queue).withPriority(priority);
                messages.add((stored ? message : message.nonDurable()).text(text));
                add(queue, new Expected(text, stored, priority < 0 ? 4 : priority, published));
            }
            client.publish(messages);
        }

        private void add(String queue, Expected expected) {
            List<Expected> list = ready.get(queue);
            list.add(expected);
            list.sort(Comparator.comparingInt((Expected one) -> -one.priority).thenComparingLong(one -> one.order));
        }

        private void take(String queue, int count) {
            Attached attached = consumers.computeIfAbsent(
                    queue,
                    name -> new Attached(
                            client.consume(name, new ConsumerSpec("c", false, false, false, 0, Outcome.FAILED))));
            List<Expected> list = ready.get(queue);
            attached.consumer.limit(attached.taken + count, true).awaitDrained();
            client.sync();
            for (Delivery delivery : attached.consumer.arrived()) {
                assertThat(list)
                        .as("more than expected: %s", Messages.text(delivery))
                        .isNotEmpty();
                Expected next = list.remove(0);
                assertThat(Messages.text(delivery))
                        .as("next of queue %s", queue)
                        .isEqualTo(next.text);
                assertThat(delivery.failed()).as("failures of %s", next).isEqualTo(next.failed);
                assertThat(delivery.acquired()).as("acquired %s", next).isEqualTo(next.acquired);
                attached.held.put(delivery.deliveryId(), next);
                attached.taken = delivery.deliveryId() + 1;
                count--;
            }
            assertThat(count == 0 || list.isEmpty())
                    .as("fewer than expected of %s: %s", queue, list)
                    .isTrue();
        }

        private void settle(String queue) {
            Attached attached = consumers.get(queue);
            if (attached == null || attached.held.isEmpty()) {
                return;
            }
            List<Long> ids = new ArrayList<>(attached.held.keySet());
            long first = ids.get(random.nextInt(ids.size()));
            long last = first + random.nextInt(6);
            Outcome outcome = OUTCOMES.get(random.nextInt(OUTCOMES.size()));
            attached.consumer.settle(first, last, outcome);
            recorded();
            for (long id = first; id <= last; id++) {
                Expected expected = attached.held.remove(id);
                if (expected != null) {
                    apply(queue, expected, outcome);
                }
            }
        }

        /** Sends and settlements together: committed, rolled back, crashed, or prepared and then decided. */
        private void transact(String queue) {
            boolean branch = !queue.equals("in-memory") && random.nextBoolean();
            BranchId id = BranchId.of(new byte[] {1});
            TestTransaction transaction = branch ? new TestTransaction(client, id) : new TestTransaction(client);
            List<Expected> settled = settleSome(queue, transaction);
            List<Expected> sent = sendSome(queue, transaction);
            switch (random.nextInt(branch ? 5 : 3)) {
                case 0 -> {
                    transaction.commit();
                    committed(queue, sent);
                }
                case 1 -> {
                    transaction.rollback();
                    recorded();
                    settled.forEach(each -> apply(queue, each, Outcome.FAILED));
                }
                case 2 -> {
                    client.sync();
                    settled.forEach(each -> add(queue, each));
                    stop();
                }
                case 3 -> {
                    prepare(transaction);
                    client.ask(session -> session.commitPrepared(id));
                    committed(queue, sent);
                }
                default -> {
                    prepare(transaction);
                    client.ask(session -> session.rollbackPrepared(id));
                    recorded();
                    settled.forEach(each -> apply(queue, each, Outcome.FAILED));
                }
            }
        }

        private void prepare(TestTransaction transaction) {
            transaction.prepare();
            if (random.nextBoolean()) {
                stop();
            }
        }

        private List<Expected> settleSome(String queue, TestTransaction transaction) {
            List<Expected> settled = new ArrayList<>();
            Attached attached = consumers.get(queue);
            if (attached != null) {
                for (long id : List.copyOf(attached.held.keySet())) {
                    if (random.nextBoolean()) {
                        transaction.settle(attached.consumer, id, id, Outcome.ACCEPTED, true);
                        settled.add(attached.held.remove(id));
                    }
                }
            }
            return settled;
        }

        private List<Expected> sendSome(String queue, TestTransaction transaction) {
            boolean stored = !queue.equals("in-memory");
            List<Expected> sent = new ArrayList<>();
            for (int count = random.nextInt(10); count > 0 && !queue.equals(DEAD); count--) {
                String text = "t" + published++;
                int priority = random.nextInt(4) == 0 ? random.nextInt(10) : -1;
                Messages message = Messages.to("", queue).withPriority(priority);
                transaction.publish((stored ? message : message.nonDurable()).text(text));
                sent.add(new Expected(text, stored, priority < 0 ? 4 : priority, published));
            }
            return sent;
        }

        /** Messages of a transaction come behind all that was there before its commit. */
        private void committed(String queue, List<Expected> sent) {
            sent.forEach(each -> add(queue, new Expected(each.text, each.stored, each.priority, ++published)));
        }

        private void apply(String queue, Expected expected, Outcome outcome) {
            expected.acquired = true;
            if (outcome instanceof Outcome.Modified) {
                expected.failed++;
                if (queue.equals("limited") && expected.failed > 1) {
                    die(queue, expected);
                } else {
                    add(queue, expected);
                }
            } else if (outcome instanceof Outcome.Released) {
                add(queue, expected);
            } else if (outcome instanceof Outcome.Rejected) {
                die(queue, expected);
            }
        }

        private void die(String queue, Expected expected) {
            if (queue.equals("limited")) {
                add(DEAD, new Expected(expected.text, true, expected.priority, ++published));
            }
        }

        private void closeOrPurge(String queue) {
            Attached attached = consumers.remove(queue);
            if (attached != null) {
                attached.consumer.close();
                recorded();
                attached.held.values().forEach(held -> apply(queue, held, Outcome.FAILED));
            } else {
                assertThat(client.purge(queue)).isEqualTo(ready.get(queue).size());
                ready.get(queue).clear();
            }
        }

        /** No answer waits for the record of a failed delivery, nor for a dead letter that is read back from the log. */
        private void recorded() {
            client.sync();
            broker.awaitDeadLetters();
            client.sync();
        }

        private void stop() {
            broker.crash();
            client = broker.client();
            consumers.forEach((queue, attached) -> attached.held.values().forEach(held -> add(queue, held)));
            consumers.clear();
            for (List<Expected> list : ready.values()) {
                list.removeIf(expected -> !expected.stored);
                list.forEach(expected -> expected.acquired = true);
            }
        }
    }
}
