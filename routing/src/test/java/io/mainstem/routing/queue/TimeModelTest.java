package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.DelayedMessage;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.message.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random sequences of publishing, delaying, cancelling, expiring, failing, crashing and reopening against plain lists. A seed that
 * fails is the report: {@code -Dmainstem.time.seed=S} runs it alone.
 */
@DisplayName("[L-8] [T-3] [T-4] time: the broker agrees with plain lists")
final class TimeModelTest {
    private static final int STEPS = 40;
    private static final long HOUR_MS = 3_600_000;

    static LongStream seeds() {
        Long one = Long.getLong("mainstem.time.seed");
        return one == null ? LongStream.range(0, 60) : LongStream.of(one);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void nothingComesEarlyLateTwiceOrNever(long seed) {
        new Run(seed).steps();
    }

    /** @param failed deliveries so far */
    private record Expected(String text, boolean durable, long deliverAtMs, long expireAtMs, int failed) {
        Expected failedOnce() {
            return new Expected(text, durable, deliverAtMs, expireAtMs, failed + 1);
        }
    }

    private static final class Run {
        private final Random random;
        private final TestBroker broker =
                TestBroker.onSimulatedDisk(new ShardSettings(8192, 4096, 32 << 10, 1 << 20, 1 << 30, 1 << 20, 4));
        private TestClient client = broker.client();
        private final List<Expected> waiting = new ArrayList<>();
        private final List<Expected> queued = new ArrayList<>();
        private final List<Expected> dead = new ArrayList<>();
        private int published;

        Run(long seed) {
            random = new Random(seed);
            client.declare("dead");
            client.declare(
                    "q",
                    Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead", "x-delivery-limit", 1L));
        }

        void steps() {
            try (TestBroker closedAtTheEnd = broker) {
                for (int step = 0; step < STEPS; step++) {
                    step();
                }
                advance(24 * HOUR_MS);
                take();
                assertThat(queued).isEmpty();
                assertThat(waiting).isEmpty();
                TestConsumer last = client.consume("dead").credit(10_000);
                assertThat(last.nextTexts(dead.size()))
                        .containsExactlyInAnyOrderElementsOf(
                                dead.stream().map(Expected::text).toList());
                assertThat(last.texts()).isEmpty();
                assertThat(closedAtTheEnd).isNotNull();
            }
        }

        private void step() {
            switch (random.nextInt(11)) {
                case 0, 1, 2, 3 -> publish();
                case 4, 5, 6 -> advance(random.nextInt(3) == 0 ? random.nextInt(3000) : random.nextInt(2_000_000));
                case 7, 8 -> take();
                case 9 -> cancel();
                default -> stop();
            }
        }

        private void publish() {
            List<Message> messages = new ArrayList<>();
            for (int left = random.nextInt(30); left > 0; left--) {
                long delayMs = random.nextBoolean() ? 0 : 1 + random.nextInt(5_000_000);
                boolean durable = delayMs > 0 || random.nextInt(4) != 0;
                long ttlMs = random.nextInt(3) == 0 ? 1 + random.nextInt(3_000_000) : -1;
                String text = "m" + published++;
                Messages message = Messages.to("", "q").arrived(broker.nowMs()).withTtl(ttlMs);
                message = delayMs == 0 ? message : message.deliverAt(broker.nowMs() + delayMs);
                messages.add((durable ? message : message.nonDurable()).text(text));
                long expireAtMs = ttlMs < 0 ? Long.MAX_VALUE : broker.nowMs() + ttlMs;
                Expected expected = new Expected(text, durable, broker.nowMs() + delayMs, expireAtMs, 0);
                (delayMs == 0 ? queued : waiting).add(expected);
            }
            client.publish(messages);
        }

        /** Cancels one that waits, known by its time. */
        private void cancel() {
            // What is due leaves the list once it has been read and moved.
            List<DelayedMessage> listed = listed();
            for (long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
                    listed.size() > waiting.size() && System.nanoTime() < end; ) {
                listed = listed();
            }
            assertThat(listed.stream().map(DelayedMessage::deliverAtMs))
                    .containsExactlyInAnyOrderElementsOf(
                            waiting.stream().map(Expected::deliverAtMs).toList());
            if (listed.isEmpty()) {
                return;
            }
            DelayedMessage one = listed.get(random.nextInt(listed.size()));
            List<Expected> same = waiting.stream()
                    .filter(each -> each.deliverAtMs() == one.deliverAtMs())
                    .toList();
            if (same.size() == 1) {
                client.ask(session -> session.cancelDelayed(one.id()));
                waiting.removeAll(same);
            }
        }

        private List<DelayedMessage> listed() {
            return client.ask(session -> session.delayedMessages("", 10_000)).messages();
        }

        private void advance(long millis) {
            broker.advanceMs(millis);
            waiting.stream().filter(one -> one.deliverAtMs() <= broker.nowMs()).forEach(queued::add);
            waiting.removeIf(one -> one.deliverAtMs() <= broker.nowMs());
            queued.stream().filter(one -> one.expireAtMs() <= broker.nowMs()).forEach(dead::add);
            queued.removeIf(one -> one.expireAtMs() <= broker.nowMs());
            recorded();
        }

        /** Takes all that there is; some of it fails. */
        private void take() {
            TestConsumer consumer = client.consume("q").credit(10_000);
            List<Expected> left = new ArrayList<>(queued);
            queued.clear();
            while (!left.isEmpty()) {
                Delivery delivery = consumer.next();
                String text = Messages.text(delivery);
                Expected expected = left.stream()
                        .filter(one -> one.text().equals(text))
                        .findFirst()
                        .orElseThrow(() -> new AssertionError("not expected now: " + text));
                assertThat(delivery.failed()).as(text).isEqualTo(expected.failed());
                left.remove(expected);
                boolean fails = random.nextInt(5) == 0;
                consumer.settle(delivery, fails ? Outcome.FAILED : Outcome.ACCEPTED);
                if (fails && expected.failed() == 1) {
                    dead.add(expected);
                } else if (fails) {
                    left.add(expected.failedOnce());
                }
            }
            assertThat(consumer.texts()).as("more than expected").isEmpty();
            consumer.close();
            recorded();
        }

        /** No answer waits for a dead letter that is read back from the log; until it has gone a crash brings it again. */
        private void recorded() {
            client.sync();
            broker.awaitDeadLetters();
            client.sync();
        }

        private void stop() {
            client.sync();
            if (random.nextBoolean()) {
                broker.crash();
            } else {
                broker.restart();
            }
            client = broker.client();
            // What was in memory only is gone, as a dead letter, too.
            queued.removeIf(one -> !one.durable());
            dead.removeIf(one -> !one.durable());
        }
    }
}
