package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.Delivery;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.message.Message;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Messages that skip the log. */
final class TransientTest {
    private static final int QUEUE_BYTES_MAX = 10_000;

    private final TestBroker broker =
            new TestBroker(new ShardSettings(1 << 20, 1 << 20, QUEUE_BYTES_MAX, 1 << 20, 0, 1 << 20));
    private final TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    private static Message kilobyte(String queue) {
        return Messages.to("", queue).nonDurable().bytes(new byte[1024]);
    }

    @Test
    void aNonDurableMessageIsDeliveredInOrderAndLeavesNothingInTheLog() {
        client.declare("q");
        long before = broker.syncedLsn();

        client.publish(List.of(Messages.nonDurable("q", "a"), Messages.nonDurable("q", "b")));

        assertThat(client.consume("q").credit(5).nextTexts(2)).containsExactly("a", "b");
        assertThat(broker.syncedLsn()).isEqualTo(before);
    }

    @Test
    void aDurableMessageInANonDurableQueueStaysInMemory() {
        client.declare(new QueueSpec("q", false, false, false, false, Map.of()));
        long before = broker.syncedLsn();

        assertThat(client.publish(Messages.durable("q", "a"))).isEqualTo(new PublishResult.Stored(1));

        assertThat(client.consume("q").credit(5).nextText()).isEqualTo("a");
        assertThat(broker.syncedLsn()).isEqualTo(before);
    }

    @Test
    void aDurableMessageToBothKindsOfQueuesIsAnsweredOnce() {
        client.declare(new QueueSpec("memory", false, false, false, false, Map.of()));
        client.declare("disk");
        client.bind("amq.fanout", "memory", "");
        client.bind("amq.fanout", "disk", "");

        PublishResult result = client.publish(Messages.to("amq.fanout", "").text("a"));

        assertThat(result).isEqualTo(new PublishResult.Stored(2));
        assertThat(client.consume("memory").credit(1).nextText()).isEqualTo("a");
        assertThat(client.consume("disk").credit(1).nextText()).isEqualTo("a");
    }

    @Test
    @DisplayName("[L-10] large messages that have gone leave nothing behind in memory")
    void emptyChunksGo() {
        client.declare("q");
        TestConsumer consumer = client.consume("q").credit(100);
        client.publish(kilobyte("q"));
        for (int count = 0; count < 50; count++) {
            // The next one is there before the last one goes: chunks are full before they become empty.
            client.publish(kilobyte("q"));
            consumer.settle(consumer.next(), Outcome.ACCEPTED);
        }
        client.sync();

        assertThat(broker.transientChunks("q")).isLessThanOrEqualTo(2);
    }

    @Test
    @DisplayName("a purge of a deep queue goes in slices and takes what was there when it came, no more")
    void purgeInSlices() {
        try (TestBroker roomy = new TestBroker()) {
            TestClient publisher = roomy.client();
            publisher.declare("q");
            publisher.publish(Collections.nCopies(2 * 4000 + 1, Messages.nonDurable("q", "old")));

            CompletableFuture<Long> purged = new CompletableFuture<>();
            publisher.onLoop(() -> {
                publisher.session().purgeQueue("q").thenAccept(purged::complete);
                publisher.session().flush();
                return true;
            });
            publisher.publish(List.of(Messages.nonDurable("q", "new"), Messages.durable("q", "kept")));

            assertThat(TestClient.get(purged)).isEqualTo(2L * 4000 + 1);
            assertThat(publisher.consume("q").credit(5).texts(2)).containsExactlyInAnyOrder("new", "kept");
        }
    }

    @Test
    @DisplayName("[T-5] given back non-durable messages return to their position")
    void orderSurvivesRequeue() {
        client.declare("q");
        client.publish(
                List.of(Messages.nonDurable("q", "a"), Messages.nonDurable("q", "b"), Messages.nonDurable("q", "c")));
        TestConsumer consumer = client.consume("q").credit(2);
        List<Delivery> held = List.of(consumer.next(), consumer.next());

        consumer.settle(held.get(1), Outcome.RELEASED)
                .settle(held.get(0), Outcome.RELEASED)
                .close();

        assertThat(client.consume("q").credit(5).nextTexts(3)).containsExactly("a", "b", "c");
    }

    @Test
    @DisplayName("a queue that is full of non-durable messages holds its publishers back, with a reason")
    void backPressureInsteadOfUnboundedMemory() {
        client.declare("q");
        client.publish(Collections.nCopies(10, kilobyte("q")));

        assertThat(client.onLoop(() -> client.session().writable())).isFalse();
        assertThat(client.onLoop(() -> client.session().blockedReason())).contains("'q'");
        CompletableFuture<Boolean> writable = new CompletableFuture<>();
        client.onLoop(() -> {
            client.session().onWritable(() -> writable.complete(client.session().writable()));
            return true;
        });
        TestConsumer consumer = client.consume("q").credit(10);
        for (int count = 0; count < 10; count++) {
            consumer.settle(consumer.next(), Outcome.ACCEPTED);
        }

        assertThat(TestClient.get(writable)).isTrue();
        assertThat(client.onLoop(() -> client.session().blockedReason())).isEmpty();
    }

    @Test
    void aPublisherThatDoesNotHoldBackIsRefused() {
        client.declare("q");
        client.declare("other");

        List<PublishResult> results = client.publish(Collections.nCopies(40, kilobyte("q")));

        assertThat(results.get(0)).isEqualTo(new PublishResult.Stored(1));
        assertThat(results.get(39))
                .isInstanceOfSatisfying(
                        PublishResult.Refused.class,
                        refused -> assertThat(refused.kind()).isEqualTo(ErrorKind.RESOURCE_LIMIT));
        assertThat(client.publish(kilobyte("other"))).isEqualTo(new PublishResult.Stored(1));
    }

    @Test
    @DisplayName(
            "dead letters for a queue whose memory is full are dropped and counted: nobody can be held back for them")
    void deadLettersDoNotPileUpInMemory() {
        client.declare(new QueueSpec("dead", false, false, false, false, Map.of()));
        client.declare("q", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
        client.publish(Collections.nCopies(60, Messages.to("", "q").bytes(new byte[1024])));
        TestConsumer consumer = client.consume("q").credit(60);
        for (int count = 0; count < 60; count++) {
            consumer.settle(consumer.next(), new Outcome.Rejected("no"));
        }
        client.sync();

        assertThat(broker.transientBytes()).isLessThan(2 * QUEUE_BYTES_MAX + 2048);
        assertThat(broker.dropped("dead")).isGreaterThan(30);
    }

    @Test
    void deletingAFullQueueLetsItsPublishersGoOn() {
        client.declare("q");
        client.publish(Collections.nCopies(10, kilobyte("q")));

        assertThat(client.delete("q")).isEqualTo(10);
        client.sync();

        assertThat(client.onLoop(() -> client.session().writable())).isTrue();
    }
}
