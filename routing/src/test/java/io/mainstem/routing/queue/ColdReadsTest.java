package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.routing.Outcome;
import io.mainstem.routing.message.Message;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How many messages are read back from the log at a time. */
@DisplayName("[S-4] reads under way: shard.cold-reads-max, a quarter of it for one consumer")
final class ColdReadsTest {
    private static final int MESSAGES = 20;
    private static final int QUEUES = 60;

    private final TestBroker broker = new TestBroker(withReads(8));
    private final TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.files().holdReads(false);
        broker.close();
    }

    private static ShardSettings withReads(int coldReadsMax) {
        ShardSettings usual = ShardSettings.forHeap(1 << 26);
        return new ShardSettings(
                1024,
                1 << 20,
                coldReadsMax,
                usual.transientQueueBytesMax(),
                usual.transientBytesMax(),
                usual.spoolBytesMax(),
                usual.sessionInFlightBytesMax(),
                usual.nearEntriesMax(),
                usual.lastValueBytesMax(),
                usual.dedup(),
                usual.topology());
    }

    @Test
    void whoeverCatchesUpHasAQuarterOfThemAndTheOthersTheRest() {
        List<String> queues = List.of("a", "b", "c", "d", "e", "f");
        queues.forEach(this::fill);
        client.declare("filler");
        client.publish(Collections.nCopies(8, message("filler")));
        broker.files().holdReads(true);

        List<TestConsumer> consumers = new ArrayList<>();
        consumers.add(client.consume("a").credit(1));
        client.sync();
        long one = bytesInUse();
        consumers.get(0).credit(MESSAGES);
        client.sync();
        assertThat(bytesInUse()).isEqualTo(2 * one);
        for (String queue : queues.subList(1, queues.size())) {
            consumers.add(client.consume(queue).credit(MESSAGES));
        }
        client.sync();
        assertThat(bytesInUse()).isEqualTo(8 * one);

        broker.files().holdReads(false);
        consumers.forEach(consumer -> consumer.nextTexts(MESSAGES));
        consumers.forEach(consumer -> consumer.close(Outcome.ACCEPTED));
        client.sync();
        assertThat(bytesInUse()).isZero();
    }

    @Test
    @DisplayName(
            "each read that ends lets one of those that wait go on: all are served, and nobody looks at all of them")
    void queuesThatWaitTakeTurns() {
        List<String> queues =
                IntStream.range(0, QUEUES).mapToObj(each -> "q" + each).toList();
        queues.forEach(this::fill);
        client.declare("filler");
        client.publish(Collections.nCopies(8, message("filler")));
        broker.files().holdReads(true);
        List<TestConsumer> consumers = new ArrayList<>();
        for (String queue : queues) {
            consumers.add(client.consume(queue).credit(MESSAGES));
        }
        client.sync();
        for (TestConsumer gone : consumers.subList(QUEUES / 2, QUEUES - 10)) {
            gone.close(Outcome.RELEASED);
        }
        client.sync();

        broker.files().holdReads(false);
        consumers.subList(QUEUES - 10, QUEUES).forEach(consumer -> consumer.nextTexts(MESSAGES));
        consumers.subList(0, QUEUES / 2).forEach(consumer -> consumer.nextTexts(MESSAGES));

        assertThat(TestClient.get(broker.broker().readTurnsGiven())).isLessThan(QUEUES + 3L * QUEUES * MESSAGES);
    }

    @Test
    void lessThanOneForAConsumerIsRefusedByTheNameOfTheKey() {
        assertThatThrownBy(() -> withReads(3))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("shard.cold-reads-max: 3 (expected: 4 to 4096)");
    }

    private void fill(String queue) {
        client.declare(queue);
        client.publish(Collections.nCopies(MESSAGES, message(queue)));
    }

    private Message message(String queue) {
        return Messages.to("", queue).arrived(broker.nowMs()).withTtl(-1).bytes(new byte[600]);
    }

    private long bytesInUse() {
        return TestClient.get(broker.broker().readAheadBytes());
    }
}
