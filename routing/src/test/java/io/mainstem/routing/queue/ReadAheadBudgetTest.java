package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.Delivery;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.message.Message;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages come back from the log within one budget, which whatever happens meanwhile leaves as it was. */
@DisplayName("budget for reading ahead")
final class ReadAheadBudgetTest {
    private static final int MESSAGE_BYTES = 600;
    /** Room for one message in each of the two caches. */
    private final TestBroker broker = new TestBroker(new ShardSettings(1024, 1024, 1 << 20, 1 << 20, 1 << 30, 1 << 20));

    private final TestClient client = broker.client();

    @BeforeEach
    void declareWhatPushesOthersOutOfMemory() {
        client.declare("filler");
    }

    @AfterEach
    void close() {
        broker.files().holdReads(false);
        broker.close();
    }

    private Message message(String queue, long ttlMs) {
        return Messages.to("", queue).arrived(broker.nowMs()).withTtl(ttlMs).bytes(new byte[MESSAGE_BYTES]);
    }

    /** Publishes messages and lets them leave memory. */
    private void cold(List<Message> messages) {
        client.publish(messages);
        client.publish(Collections.nCopies(8, message("filler", -1)));
    }

    private void cold(String queue) {
        client.declare(queue);
        cold(List.of(message(queue, -1)));
    }

    private long bytesInUse() {
        return TestClient.get(broker.broker().readAheadBytes());
    }

    /** Reads that were held are back before these, which stand behind them. */
    private void readOthers() {
        cold("others");
        client.publish(Collections.nCopies(20, message("others", -1)));
        TestConsumer others = client.consume("others").credit(21);
        others.nextTexts(21);
        others.close(Outcome.ACCEPTED);
        client.sync();
    }

    @Test
    void whatWasReadAheadDoesNotKeepAMessageGivenBackInFrontOfItWaiting() {
        client.declare("q");
        cold(List.of(message("q", -1), message("q", -1)));
        TestConsumer consumer = client.consume("q").credit(1);
        Delivery first = consumer.next();
        broker.files().holdReads(true);
        consumer.credit(10);
        client.sync();

        consumer.settle(first, Outcome.FAILED);
        client.sync();
        broker.files().holdReads(false);

        assertThat(consumer.next().failed()).isEqualTo(1);
        assertThat(consumer.next().failed()).isZero();
    }

    @Test
    void aQueueDeletedWhileItWaitsForRoomDoesNotKeepTheOthersWaiting() {
        cold("reading");
        cold("deleted");
        cold("waiting");
        broker.files().holdReads(true);
        TestConsumer reading = client.consume("reading").credit(1);
        client.consume("deleted").credit(1);
        TestConsumer waiting = client.consume("waiting").credit(1);
        client.sync();

        client.delete("deleted");
        broker.files().holdReads(false);

        reading.next();
        waiting.next();
        assertThat(bytesInUse()).isZero();
    }

    @Test
    void aQueueWhoseConsumerLeftWhileItWaitedDoesNotKeepTheOthersWaiting() {
        cold("reading");
        cold("left");
        cold("waiting");
        broker.files().holdReads(true);
        TestConsumer reading = client.consume("reading").credit(1);
        TestConsumer left = client.consume("left").credit(1);
        TestConsumer waiting = client.consume("waiting").limit(5, true);
        client.sync();

        left.close();
        client.sync();
        broker.files().holdReads(false);

        reading.next();
        waiting.next();
        assertThat(waiting.awaitDrained()).isEqualTo(5);
    }

    @Test
    void aReadThatComesBackAfterItsQueueWasDeletedGivesItsRoomBack() {
        cold("deleted");
        cold("q");
        broker.files().holdReads(true);
        client.consume("deleted").credit(1);
        client.sync();

        client.delete("deleted");
        broker.files().holdReads(false);

        client.consume("q").credit(1).next();
        assertThat(bytesInUse()).isZero();
    }

    @Test
    void aMessageThatExpiresWhileItIsReadGivesItsRoomBackOnce() {
        client.declare("q");
        cold(List.of(message("q", 10)));
        broker.files().holdReads(true);
        TestConsumer consumer = client.consume("q").credit(1);
        client.sync();

        broker.advanceMs(10);
        consumer.credit(1);
        client.sync();
        broker.files().holdReads(false);
        readOthers();

        assertThat(bytesInUse()).isZero();
    }

    @Test
    void aMessageThatExpiresWhileItIsReadDoesNotKeepThoseBehindItWaiting() {
        client.declare("q");
        cold(List.of(message("q", 10), message("q", -1)));
        broker.files().holdReads(true);
        TestConsumer consumer = client.consume("q").credit(1);
        client.sync();

        broker.advanceMs(10);
        client.sync();
        broker.files().holdReads(false);

        assertThat(consumer.next().message().envelope().ttlMs()).isNegative();
    }

    @Test
    void aMessageThatIsPurgedWhileItIsReadGivesItsRoomBack() {
        cold("purged");
        cold("q");
        broker.files().holdReads(true);
        client.consume("purged").credit(1);
        client.sync();

        assertThat(client.purge("purged")).isEqualTo(1);
        broker.files().holdReads(false);

        client.consume("q").credit(1).next();
        assertThat(bytesInUse()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void noQueueHangsAndNoRoomIsLostWhateverExpiresAndIsDeleted(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 8; round++) {
            List<String> queues = new ArrayList<>(List.of("a", "b", "c", "d", "e"));
            List<Message> messages = new ArrayList<>();
            for (int count = 0; count < 30; count++) {
                messages.add(message(queues.get(random.nextInt(queues.size())), random.nextInt(3) == 0 ? 5 : -1));
            }
            queues.forEach(client::declare);
            cold(messages);
            List<TestConsumer> consumers = new ArrayList<>();
            for (String queue : queues) {
                consumers.add(client.consume(queue).limit(100, true));
            }
            broker.advanceMs(random.nextInt(8));
            int deleted = random.nextInt(queues.size());
            client.delete(queues.remove(deleted));
            consumers.remove(deleted);

            for (TestConsumer consumer : consumers) {
                assertThat(consumer.awaitDrained()).isEqualTo(100);
                consumer.close(Outcome.ACCEPTED);
            }
            client.sync();
            queues.forEach(queue -> assertThat(client.delete(queue)).isZero());
        }
        readOthers();
        assertThat(bytesInUse()).isZero();
    }
}
