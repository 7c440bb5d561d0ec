package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.ConsumerHandle;
import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.DeliverySink;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.HeadRecord;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.RetainedTopics;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.SectionOffsets;
import io.mainstem.routing.topology.Grant;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What heads keep: with messages, with settlements, and by itself; and what routing keeps for them. */
final class HeadRecordsTest {
    private final TestBroker broker = new TestBroker();
    private TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    private void crash() {
        broker.crash();
        client = broker.client();
    }

    private Set<String> keys(String prefix) {
        return client.ask(session -> session.records(prefix)).keySet();
    }

    private static HeadRecord record(String key) {
        return new HeadRecord(key, new byte[] {7});
    }

    @Test
    void whatWasKeptOutlivesACrashAndWhatWasDeletedDoesNotComeBack() {
        client.ask(session -> session.keep(List.of(record("m/a"), record("m/b"), record("n/c"))));
        client.ask(session -> session.keep(List.of(HeadRecord.delete("m/b"))));

        crash();

        assertThat(keys("m/")).containsExactly("m/a");
        assertThat(keys("n/")).containsExactly("n/c");
    }

    @Test
    @DisplayName("[T-1] a record kept with a publish is there after a crash, also if the message goes nowhere")
    void keptWithAPublish() {
        client.declare("q");
        CompletableFuture<PublishResult> stored = new CompletableFuture<>();
        CompletableFuture<PublishResult> nowhere = new CompletableFuture<>();
        client.onLoop(() -> {
            client.session()
                    .publish(
                            Messages.durable("q", "x"),
                            List.of(record("m/1")),
                            0,
                            (tag, result) -> stored.complete(result));
            client.session()
                    .publish(
                            Messages.durable("nobody", "y"),
                            List.of(record("m/2")),
                            0,
                            (tag, result) -> nowhere.complete(result));
            client.session().flush();
            return null;
        });
        assertThat(stored.join()).isEqualTo(new PublishResult.Stored(1));
        assertThat(nowhere.join()).isInstanceOf(PublishResult.Unroutable.class);

        crash();

        assertThat(keys("m/")).containsExactly("m/1", "m/2");
        assertThat(client.consume("q").credit(1).nextTexts(1)).containsExactly("x");
    }

    @Test
    @DisplayName("[mapping 6] a delivery accepted with a record leaves the queue and leaves the record, both")
    void acceptedWithARecord() {
        client.declare("q");
        client.send("q", "a", "b");
        CompletableFuture<Delivery> first = new CompletableFuture<>();
        ConsumerHandle handle = client.ask(session -> session.consume(
                "q", new ConsumerSpec("c", false, false, false, 0, Outcome.RELEASED), new FirstDelivery(first)));
        client.onLoop(() -> {
            handle.limit(1, false);
            client.session().flush();
            return null;
        });
        assertThat(first.join().position()).isZero();
        client.ask(session -> handle.accept(0, List.of(record("m/rel"))));

        crash();

        assertThat(keys("m/")).containsExactly("m/rel");
        assertThat(client.consume("q").credit(2).nextTexts(1)).containsExactly("b");
    }

    @Test
    @DisplayName("[S-9] an MQTT subscription with other options replaces the one before")
    void subscribingAgainReplacesTheBinding() {
        client.declare("q");
        client.ask(session -> session.bind(subscription(0)));
        client.ask(session -> session.bind(subscription(2)));
        assertThat(client.session().bindingsOf("q")).containsExactly(subscription(2));

        crash();

        assertThat(client.session().bindingsOf("q")).containsExactly(subscription(2));
        client.ask(session -> session.unbind(subscription(1)));
        assertThat(client.session().bindingsOf("q")).isEmpty();
    }

    @Test
    @DisplayName("[S-10] the last message with the retain flag is kept by its key, also after a crash")
    void retained() {
        assertThat(client.publish(List.of(retained("a.b", "old"), retained("a.b", "new"), retained("a.c", "other"))))
                .hasSize(3);
        crash();
        assertThat(retainedKeys("a.")).containsExactly("a.b", "a.c");
        client.publish(retained("a.b", ""));
        assertThat(retainedKeys("a.")).containsExactly("a.c");
    }

    private List<String> retainedKeys(String prefix) {
        List<String> keys = new ArrayList<>();
        client.session()
                .retained()
                .page(
                        RetainedTopics.Look.now(prefix, key -> true),
                        "",
                        1000,
                        0,
                        (message, version) -> keys.add(message.envelope().routingKey()));
        return keys;
    }

    private static Message retained(String key, String text) {
        byte[] body = {0, 0x53, 0x75, (byte) 0xa0, (byte) text.length()};
        byte[] section = Arrays.copyOf(body, body.length + text.length());
        System.arraycopy(text.getBytes(StandardCharsets.US_ASCII), 0, section, body.length, text.length());
        return new Message(
                new Envelope(
                        "amq.topic",
                        List.of(key),
                        true,
                        -1,
                        1,
                        -1,
                        0,
                        0,
                        "",
                        null,
                        Envelope.Origin.MQTT_5,
                        1,
                        true,
                        new SectionOffsets(-1, -1, -1, 0, -1, 0x75),
                        List.of()),
                List.of(section));
    }

    private static BindingSpec subscription(long qos) {
        return new BindingSpec("amq.topic", "q", true, "a.*", Map.of(Grant.MQTT, true, Grant.QOS, qos));
    }

    private record FirstDelivery(CompletableFuture<Delivery> first) implements DeliverySink {
        @Override
        public void onDeliveries(List<Delivery> deliveries) {
            first.complete(deliveries.get(0));
        }

        @Override
        public void onDrained(long limit) {}

        @Override
        public void onCancelled(ErrorKind why, String text) {}
    }
}
