package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.message.Message;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random publishes of both durabilities, transactions, deliveries, outcomes, purges, crashes and stops of a last-value
 * queue, against a plain list. {@code -Dmainstem.lastvalue.seed=S} runs one seed alone, {@code -Dmainstem.lastvalue.seeds=N} more.
 */
@DisplayName("[L-8] last-value queues agree with plain lists (ADR 0049)")
final class LastValueModelTest {
    private static final int STEPS = 60;

    static LongStream seeds() {
        Long one = Long.getLong("mainstem.lastvalue.seed");
        return one == null ? LongStream.range(0, Long.getLong("mainstem.lastvalue.seeds", 20)) : LongStream.of(one);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void onlyTheNewestOfAKeyWaits(long seed) {
        new Run(seed).steps();
    }

    /** @param color null = it has none */
    private record Sent(long n, @Nullable String color, boolean durable) {
        boolean replacedBy(Sent newer) {
            return color != null && color.equals(newer.color) && newer.n > n;
        }
    }

    private static final class Run {
        private final Random random;
        private final TestBroker broker =
                TestBroker.onSimulatedDisk(new ShardSettings(4096, 4096, 32 << 10, 1 << 20, 1 << 30, 1 << 20));
        private TestClient client = broker.client();
        private final List<Sent> ready = new ArrayList<>();
        private final Map<Long, Sent> held = new LinkedHashMap<>();
        /** Of those that are held. */
        private final List<Sent> superseded = new ArrayList<>();

        private @Nullable TestConsumer consumer;
        private long taken;
        private long next;

        Run(long seed) {
            random = new Random(seed);
            client.declare("q", Map.of("x-last-value-key", "color"));
        }

        void steps() {
            try (broker) {
                for (int step = 0; step < STEPS; step++) {
                    step();
                }
                take(10_000);
                assertThat(ready).isEmpty();
            }
        }

        private void step() {
            switch (random.nextInt(12)) {
                case 0, 1, 2, 3 -> publish();
                case 4, 5 -> take(1 + random.nextInt(8));
                case 6, 7, 8 -> settle();
                case 9 -> transact();
                case 10 -> purge();
                default -> stop();
            }
        }

        private Message message(Sent sent) {
            if (sent.color == null) {
                Messages plain = Messages.to("", "q");
                return (sent.durable ? plain : plain.nonDurable()).text("plain " + sent.n);
            }
            Colored to = sent.durable ? Colored.to("q") : Colored.to("q").nonDurable();
            return to.of(sent.color, sent.n);
        }

        private Sent some() {
            int color = random.nextInt(12);
            return new Sent(next++, color == 0 ? null : "color " + color, random.nextInt(4) > 0);
        }

        private void publish() {
            for (int count = random.nextInt(20); count > 0; count--) {
                Sent sent = some();
                client.publish(message(sent));
                arrived(sent);
            }
        }

        private void transact() {
            TestTransaction transaction = new TestTransaction(client);
            List<Sent> all = new ArrayList<>();
            for (int count = random.nextInt(8); count >= 0; count--) {
                Sent sent = some();
                transaction.publish(message(sent));
                all.add(sent);
            }
            if (random.nextBoolean()) {
                transaction.commit();
                all.forEach(this::arrived);
            } else {
                transaction.rollback();
            }
        }

        private void arrived(Sent sent) {
            ready.removeIf(each -> each.replacedBy(sent));
            held.values().stream().filter(each -> each.replacedBy(sent)).forEach(superseded::add);
            ready.add(sent);
        }

        private void take(int count) {
            TestConsumer at = consumer;
            if (at == null) {
                at = client.consume("q", new ConsumerSpec("c", false, false, false, 0, Outcome.RELEASED));
                consumer = at;
                taken = 0;
            }
            at.limit(taken + count, true).awaitDrained();
            client.sync();
            int left = count;
            for (Delivery delivery : at.arrived()) {
                Sent found = find(delivery);
                // Of each durability the oldest is next.
                assertThat(ready.stream()
                                .filter(each -> each.durable == found.durable)
                                .findFirst())
                        .contains(found);
                ready.remove(found);
                held.put(delivery.deliveryId(), found);
                taken = delivery.deliveryId() + 1;
                left--;
            }
            assertThat(left == 0 || ready.isEmpty())
                    .as("still there: %s", ready)
                    .isTrue();
        }

        private Sent find(Delivery delivery) {
            String text = Messages.text(delivery);
            long n = text.startsWith("plain ") ? Long.parseLong(text.substring(6)) : Colored.n(delivery);
            return ready.stream()
                    .filter(each -> each.n == n)
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(n + " is not among " + ready));
        }

        private void settle() {
            TestConsumer at = consumer;
            if (at == null || held.isEmpty()) {
                return;
            }
            List<Long> ids = new ArrayList<>(held.keySet());
            long id = ids.get(random.nextInt(ids.size()));
            boolean back = random.nextInt(3) == 0;
            at.settle(id, id, back ? Outcome.FAILED : Outcome.ACCEPTED);
            client.sync();
            Sent sent = held.remove(id);
            if (!superseded.remove(sent) && back) {
                back(sent);
            }
        }

        private void back(Sent sent) {
            int at = 0;
            while (at < ready.size() && ready.get(at).n < sent.n) {
                at++;
            }
            ready.add(at, sent);
        }

        private void purge() {
            assertThat(client.purge("q")).isEqualTo(ready.size());
            ready.clear();
        }

        private void stop() {
            client.sync();
            if (random.nextBoolean()) {
                broker.crash();
                held.values().forEach(this::back);
                ready.removeIf(each -> !each.durable);
                // What waits is known again from the log alone.
                ready.removeIf(each -> ready.stream().anyMatch(each::replacedBy));
            } else {
                broker.restart();
                held.values().removeIf(superseded::contains);
                held.values().forEach(this::back);
                ready.removeIf(each -> !each.durable);
            }
            held.clear();
            superseded.clear();
            client = broker.client();
            consumer = null;
            // Until the queue has been read through, a purge counts what is about to be replaced, too.
            take(0);
        }
    }
}
