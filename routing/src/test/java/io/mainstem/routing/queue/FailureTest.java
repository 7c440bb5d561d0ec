package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ClientInfo;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.PublishResult;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A log that has failed, a disk that is full, and requests that cannot be. */
final class FailureTest {
    private final TestBroker broker = new TestBroker();
    private final TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    @Test
    @DisplayName(
            "[architecture: failure] a failed log: outcome unknown, never a nack; consumers end; the process is told")
    void aFailedLogEndsTheService() {
        client.declare("q");
        TestConsumer consumer = client.consume("q").credit(5);

        broker.files().breakDisk();

        assertThat(client.publish(Messages.durable("q", "a"))).isInstanceOf(PublishResult.Unknown.class);
        assertThat(consumer.awaitCancelled()).isEqualTo(ErrorKind.UNAVAILABLE);
        assertThat(broker.awaitFailure()).isNotNull();
        assertThat(client.onLoop(() -> client.session().writable())).isFalse();
    }

    @Test
    @DisplayName("[L-10] a full disk refuses publishes; consuming, settling and deleting go on")
    void aFullDiskStopsPublishersOnly() {
        client.declare("q");
        byte[] payload = new byte[256 << 10];
        // Beyond the first segment, where the log keeps a reserve.
        client.publish(Collections.nCopies(20, Messages.to("", "q").bytes(payload)));
        broker.files().awaitReserve(2);
        client.purge("q");
        client.send("q", "a", "b");

        broker.files().fill(true);
        List<PublishResult> results =
                client.publish(Collections.nCopies(60, Messages.to("", "q").bytes(payload)));

        assertThat(results.get(results.size() - 1))
                .isInstanceOfSatisfying(
                        PublishResult.Refused.class,
                        refused -> assertThat(refused.kind()).isEqualTo(ErrorKind.RESOURCE_LIMIT));
        assertThat(client.onLoop(() -> client.session().writable())).isFalse();
        assertThat(client.onLoop(() -> client.session().blockedReason())).isNotEmpty();
        TestConsumer consumer = client.consume("q").credit(2);
        assertThat(consumer.nextTexts(2)).containsExactly("a", "b");
        consumer.settle(0, 1, Outcome.ACCEPTED);
        client.sync();
        assertThat(client.delete("q")).isPositive();
        broker.files().fill(false);
    }

    @Test
    void publishingToNoExchangeIsRefusedAtOnce() {
        assertThatThrownBy(() -> client.publish(Messages.to("none", "k").text("a")))
                .isInstanceOfSatisfying(
                        BrokerException.class,
                        refusal -> assertThat(refusal.kind()).isEqualTo(ErrorKind.NOT_FOUND));
    }

    @Test
    @DisplayName("[T-2] a message nobody wants is unroutable")
    void publishingToNoQueueIsUnroutable() {
        assertThat(client.publish(Messages.durable("none", "a"))).isInstanceOf(PublishResult.Unroutable.class);
    }

    @Test
    @DisplayName("[architecture: acknowledged means on disk] answers come in publish order")
    void durableAnswersComeInOrder() {
        client.declare("q");
        List<Long> tags = new CopyOnWriteArrayList<>();
        client.onLoop(() -> {
            for (long tag = 0; tag < 500; tag++) {
                client.session().publish(Messages.durable("q", "m"), tag, (answered, result) -> tags.add(answered));
            }
            client.session().flush();
            return true;
        });
        client.sync();

        assertThat(tags).hasSize(500).isSorted();
    }

    @Test
    void anAnswerThatCannotBeHandledCostsTheOthersNothing() {
        client.declare("q");
        List<Long> tags = new CopyOnWriteArrayList<>();
        client.onLoop(() -> {
            for (long tag = 0; tag < 10; tag++) {
                client.session().publish(Messages.durable("q", "m"), tag, (answered, result) -> {
                    if (answered == 0) {
                        throw new IllegalStateException("defect of the session, for this test");
                    }
                    tags.add(answered);
                });
            }
            client.session().flush();
            return true;
        });
        client.sync();

        assertThat(tags).containsExactly(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L);
    }

    @Test
    void anUnknownVirtualHostIsNotFound() {
        ClientInfo stranger = new ClientInfo("/none", "c", null, "127.0.0.1:1", "test");

        assertThatThrownBy(() -> broker.broker().connect(stranger, Runnable::run))
                .isInstanceOfSatisfying(
                        BrokerException.class,
                        refusal -> assertThat(refusal.kind()).isEqualTo(ErrorKind.NOT_FOUND));
    }
}
