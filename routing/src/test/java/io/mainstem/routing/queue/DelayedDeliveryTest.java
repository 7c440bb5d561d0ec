package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.Outcome;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.message.Message;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A message with a time to be delivered at waits in the schedule until then [L-8]. */
@DisplayName("[L-8] delayed delivery")
final class DelayedDeliveryTest {
    private static final long HOUR_MS = 3_600_000;
    private static final long TEN_YEARS_MS = 3652 * 24 * HOUR_MS;

    private final TestBroker broker = new TestBroker();
    private TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    private Message delayed(String queue, long delayMs, String text) {
        return to("", queue, delayMs).text(text);
    }

    private Messages to(String exchange, String key, long delayMs) {
        return Messages.to(exchange, key).arrived(broker.nowMs()).deliverAt(broker.nowMs() + delayMs);
    }

    private void crash() {
        broker.crash();
        client = broker.client();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aMessageIsNotDeliveredBeforeItsTimeAndIsThen(boolean durable) {
        client.declare("q");
        Messages message = to("", "q", 1000);
        assertThat(client.publish((durable ? message : message.nonDurable()).text("a")))
                .isEqualTo(new PublishResult.Stored(1));
        TestConsumer consumer = client.consume("q").credit(5);
        broker.advanceMs(999);
        assertThat(consumer.texts()).isEmpty();

        broker.advanceMs(1);

        assertThat(consumer.nextText()).isEqualTo("a");
        assertThat(consumer.texts()).isEmpty();
    }

    @Test
    void messagesComeInOrderOfTheirTimesAndAmongEqualTimesAsPublished() {
        client.declare("q");
        client.publish(List.of(
                delayed("q", 3000, "d"), delayed("q", 1000, "a"), delayed("q", 2000, "b"), delayed("q", 2000, "c")));

        broker.advanceMs(5000);

        assertThat(client.consume("q").credit(9).nextTexts(4)).containsExactly("a", "b", "c", "d");
    }

    @Test
    void aCrashBeforeItsTimeLosesNothingAndOneAfterItRepeatsNothing() {
        client.declare("q");
        client.publish(delayed("q", 2 * HOUR_MS, "a"));
        crash();
        broker.advanceMs(2 * HOUR_MS);
        TestConsumer consumer = client.consume("q").credit(5);
        assertThat(consumer.nextText()).isEqualTo("a");
        consumer.settle(0, 0, Outcome.ACCEPTED);
        client.sync();

        crash();
        broker.advanceMs(2 * HOUR_MS);

        assertThat(client.consume("q").credit(5).texts()).isEmpty();
    }

    @Test
    void whatBecameDueWhileTheBrokerWasDownComesAtOnce() {
        client.declare("q");
        client.publish(delayed("q", HOUR_MS, "a"));
        broker.restart();
        client = broker.client();
        broker.advanceMs(HOUR_MS);

        assertThat(client.consume("q").credit(5).nextText()).isEqualTo("a");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void aBacklogOfManyHoursComesInOrder(long seed) {
        Random random = new Random(seed);
        client.declare("q");
        List<Message> messages = new ArrayList<>();
        List<Expected> expected = new ArrayList<>();
        for (int at = 0; at < 2000; at++) {
            long delayMs = 1 + random.nextInt(5 * 3600) * 1000L;
            messages.add(delayed("q", delayMs, "m" + at));
            expected.add(new Expected("m" + at, delayMs));
        }
        client.publish(messages);
        crash();
        TestConsumer consumer = client.consume("q").credit(5000);

        broker.advanceMs(5 * HOUR_MS);

        expected.sort(Comparator.comparingLong(Expected::atMs));
        assertThat(consumer.nextTexts(expected.size()))
                .as("seed %d", seed)
                .isEqualTo(expected.stream().map(Expected::text).toList());
        assertThat(consumer.texts()).isEmpty();
    }

    @Test
    void tenYearsSurviveRestartsAndCrashes() {
        client.declare("q");
        client.publish(delayed("q", TEN_YEARS_MS, "late"));
        broker.restart();
        broker.crash();
        client = broker.client();
        TestConsumer consumer = client.consume("q").credit(5);
        broker.advanceMs(TEN_YEARS_MS - 1);
        assertThat(consumer.texts()).isEmpty();

        broker.advanceMs(1);

        assertThat(consumer.nextText()).isEqualTo("late");
    }

    @Test
    @DisplayName("where it goes is decided when it is published: later queues get nothing, deleted ones are left out")
    void whereItGoesIsDecidedWhenItIsPublished() {
        client.declare("stays");
        client.declare("goes");
        client.bind("amq.topic", "stays", "t");
        client.bind("amq.topic", "goes", "t");
        assertThat(client.publish(to("amq.topic", "t", 1000).text("a"))).isEqualTo(new PublishResult.Stored(2));
        client.delete("goes");
        client.declare("goes");
        client.declare("comes");
        client.bind("amq.topic", "goes", "t");
        client.bind("amq.topic", "comes", "t");

        broker.advanceMs(1000);

        assertThat(client.consume("stays").credit(5).nextText()).isEqualTo("a");
        assertThat(client.consume("goes").credit(5).texts()).isEmpty();
        assertThat(client.consume("comes").credit(5).texts()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aTransactionsDelayedMessageWaitsOnceItIsCommitted(boolean durable) {
        client.declare("q");
        Messages message = to("", "q", 1000);
        TestTransaction transaction = new TestTransaction(client);
        transaction.publish((durable ? message : message.nonDurable()).text("a"));
        transaction.commit();
        TestConsumer consumer = client.consume("q").credit(5);
        assertThat(consumer.texts()).isEmpty();

        broker.advanceMs(1000);

        assertThat(consumer.nextText()).isEqualTo("a");
    }

    @Test
    void aMessageForNoQueueIsUnroutableAtOnce() {
        assertThat(client.publish(delayed("nowhere", 1000, "a"))).isEqualTo(new PublishResult.Unroutable());
    }

    @Test
    void oneMessageGoesToDurableAndOtherQueuesAlike() {
        client.declare("durable");
        client.declare(new QueueSpec("other", false, false, false, false, Map.of()));
        client.bind("amq.fanout", "durable", "");
        client.bind("amq.fanout", "other", "");
        client.publish(to("amq.fanout", "", 1000).text("a"));

        broker.advanceMs(1000);

        assertThat(client.consume("durable").credit(5).nextText()).isEqualTo("a");
        assertThat(client.consume("other").credit(5).nextText()).isEqualTo("a");
    }

    @Test
    @DisplayName("[T-4] a queue's ttl begins when the message enters the queue, its own when it is published")
    void ttlOfQueueBeginsWhenItEntersTheQueue() {
        client.declare("q", Map.of("x-message-ttl", 500L));
        client.publish(delayed("q", 1000, "by queue"));
        client.publish(to("", "q", 1000).withTtl(999).text("by its own"));
        broker.advanceMs(1000);
        assertThat(client.consume("q").credit(1).nextText()).isEqualTo("by queue");
        crash();
        broker.advanceMs(500);

        assertThat(client.consume("q").credit(5).texts()).isEmpty();
    }

    @Test
    void aTimeThatIsOverDelaysNothing() {
        client.declare("q");
        client.publish(delayed("q", -1, "a"));

        assertThat(client.consume("q").credit(5).nextText()).isEqualTo("a");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void anHourOfMoreMessagesThanFitMemoryKeepsOrderAndLosesNothing(long seed) {
        Random random = new Random(seed);
        TestBroker small = new TestBroker(new ShardSettings(1024, 4096, 1 << 20, 1 << 20, 1 << 30, 1 << 20, 8));
        try (small) {
            TestClient publisher = small.client();
            publisher.declare("q");
            TestConsumer consumer = publisher.consume("q").credit(10_000);
            List<Expected> expected = new ArrayList<>();
            List<String> received = new ArrayList<>();
            long end = small.nowMs() + 2 * HOUR_MS;
            int count = 0;
            while (small.nowMs() < end) {
                List<Message> batch = new ArrayList<>();
                for (int left = random.nextInt(120); left > 0 && count < 1500; left--) {
                    long at = small.nowMs() + 1 + random.nextInt(4) * 100_000L + random.nextInt(50) * 10_000L;
                    String text = "m" + count++;
                    batch.add(Messages.to("", "q")
                            .arrived(small.nowMs())
                            .deliverAt(at)
                            .text(text));
                    expected.add(new Expected(text, at));
                }
                publisher.publish(batch);
                small.advanceMs(random.nextInt(300_000));
                publisher.sync();
                received.addAll(consumer.texts());
            }
            while (received.size() < expected.size()) {
                received.add(consumer.nextText());
            }

            expected.sort(Comparator.comparingLong(Expected::atMs));
            assertThat(received)
                    .as("seed %d", seed)
                    .containsExactlyInAnyOrderElementsOf(
                            expected.stream().map(Expected::text).toList());
            assertThat(consumer.texts()).isEmpty();
        }
    }

    private record Expected(String text, long atMs) {}
}
