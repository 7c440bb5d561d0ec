package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.HeadRecord;
import io.mainstem.routing.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What heads keep comes in one group for each iteration; together and alone it may be too large for a record. */
final class HeadRecordSizesTest {
    /** Each fits a record of the store, two do not. */
    private static final int LARGE_BYTES = 600_000;

    private final TestBroker broker = new TestBroker();
    private final TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    private static HeadRecord record(String key, int bytes) {
        return new HeadRecord(key, new byte[bytes]);
    }

    private static CompletableFuture<Void> keep(BrokerSession session, HeadRecord... records) {
        return session.keep(List.of(records)).toCompletableFuture();
    }

    @Test
    @DisplayName("requests that come together and do not fit one record are all kept: many sessions with large wills")
    void togetherTooLargeForOneRecord() {
        client.ask(session -> {
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int number = 0; number < 4; number++) {
                all.add(keep(session, record("test/" + number, LARGE_BYTES)));
            }
            return CompletableFuture.allOf(all.toArray(new CompletableFuture<?>[0]));
        });

        broker.crash();

        assertThat(kept(broker.client())).hasSize(4);
    }

    @Test
    @DisplayName("a delivery is accepted together with its records also where they fill one alone")
    void acceptedWithLargeRecords() {
        client.declare("q");
        client.send("q", "1", "2");
        TestConsumer consumer = client.consume("q").credit(2);
        List<Delivery> both = List.of(consumer.next(), consumer.next());
        client.ask(session -> CompletableFuture.allOf(
                accept(consumer, both.get(0), record("test/1", LARGE_BYTES)),
                accept(consumer, both.get(1), record("test/2", LARGE_BYTES))));

        broker.crash();

        TestClient again = broker.client();
        assertThat(again.delete("q")).isZero();
        assertThat(kept(again)).hasSize(2);
    }

    @Test
    @DisplayName("what does not fit a record alone is refused, and the delivery is ready again")
    void aloneTooLarge() {
        client.declare("q");
        client.send("q", "1");
        TestConsumer consumer = client.consume("q").credit(2);
        Delivery first = consumer.next();

        assertThat(TestClient.refusal(() ->
                        client.ask(session -> accept(consumer, first, record("test/1", 2 * LARGE_BYTES)))))
                .isEqualTo(ErrorKind.INVALID_ARGUMENT);

        assertThat(consumer.nextText()).isEqualTo("1");
    }

    @Test
    @DisplayName(
            "[T-6] what was given back meanwhile leaves no record: a PUBREC beside a message that comes again is none")
    void acceptedTooLate() {
        client.declare("q");
        client.send("q", "1");
        TestConsumer consumer = client.consume("q").credit(1);
        Delivery delivery = consumer.next();
        consumer.close(Outcome.RELEASED);

        assertThat(TestClient.refusal(() -> client.ask(session -> accept(consumer, delivery, record("test/1", 1)))))
                .isEqualTo(ErrorKind.UNAVAILABLE);

        assertThat(kept(client)).isEmpty();
        assertThat(client.consume("q").credit(1).nextText()).isEqualTo("1");
    }

    @Test
    void nothingToKeepIsKept() {
        client.ask(HeadRecordSizesTest::keep);

        assertThat(kept(client)).isEmpty();
    }

    private static Set<String> kept(TestClient client) {
        SortedMap<String, byte[]> records = client.ask(session -> session.records("test/"));
        return records.keySet();
    }

    private static CompletableFuture<Void> accept(TestConsumer consumer, Delivery delivery, HeadRecord kept) {
        return consumer.handle().accept(delivery.deliveryId(), List.of(kept)).toCompletableFuture();
    }
}
