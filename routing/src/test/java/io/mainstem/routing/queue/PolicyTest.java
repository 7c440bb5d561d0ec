package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.Policy;
import io.mainstem.routing.QueueStatus;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("policies: arguments for queues by the pattern of their names")
final class PolicyTest {
    private final TestBroker broker = new TestBroker();
    private TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    private void set(String name, String pattern, int priority, Map<String, Object> definition) {
        client.ask(session -> session.setPolicy(new Policy(name, pattern, priority, definition)));
    }

    private QueueStatus status(String queue) {
        return client.ask(session -> session.status(List.of(queue))).get(0);
    }

    @Test
    void aLimitHoldsAtOnceForAQueueThatIsThereWithItsMessages() {
        client.declare("orders.1");
        client.declare("other");
        client.send("orders.1", "a", "b", "c", "d");
        client.send("other", "a", "b", "c", "d");

        set("short", "orders.*", 0, Map.of("max-length", 2L));
        client.sync();

        assertThat(client.consume("orders.1").credit(9).texts(2)).containsExactly("c", "d");
        assertThat(client.consume("other").credit(9).texts(4)).containsExactly("a", "b", "c", "d");
        client.declare("orders.2");
        assertThat(status("orders.2").policy()).isEqualTo("short");
        assertThat(status("orders.2").arguments()).isEqualTo(Map.of("x-max-length", 2L));
        assertThat(status("other").policy()).isNull();
    }

    @Test
    void whenItGoesItsLimitGoes() {
        client.declare("q");
        set("p", "q", 0, Map.of("max-length", 1L, "overflow", "reject-publish"));
        client.send("q", "a");
        assertThat(TestClient.refusal(() -> client.send("q", "b"))).isEqualTo(ErrorKind.RESOURCE_LIMIT);

        client.ask(session -> session.deletePolicy("p"));

        client.send("q", "c");
        assertThat(client.consume("q").credit(9).texts(2)).containsExactly("a", "c");
        assertThatThrownBy(() -> client.ask(session -> session.deletePolicy("p")))
                .isInstanceOfSatisfying(
                        BrokerException.class,
                        refusal -> assertThat(refusal.kind()).isEqualTo(ErrorKind.NOT_FOUND));
    }

    @Test
    void anotherWayToOverflowHoldsAtOnce() {
        client.declare("q");
        set("p", "q", 0, Map.of("max-length", 1L, "overflow", "block"));
        client.send("q", "a");
        assertThat(client.onLoop(() -> client.session().writable())).isFalse();

        set("p", "q", 0, Map.of("max-length", 1L, "overflow", "drop-head"));
        client.sync();

        assertThat(client.onLoop(() -> client.session().writable())).isTrue();
        client.send("q", "b");
        assertThat(client.consume("q").credit(9).texts(1)).containsExactly("b");
    }

    @Test
    @DisplayName("one policy governs: the highest priority, then the first name; of limits the stricter one holds")
    void precedence() {
        client.declare("a", Map.of("x-max-length", 5L, "x-redelivery-delay", 7L, "x-message-ttl", 900L));
        set("b-low", "*", 1, Map.of("delivery-limit", 3L));
        set("c-high", "a*", 2, Map.of("max-length", 9L, "message-ttl", 100L, "redelivery-delay", 1L));
        set("a-high", "a", 2, Map.of("max-length", 4L));

        assertThat(status("a").policy()).isEqualTo("a-high");
        assertThat(status("a").arguments())
                .isEqualTo(Map.of("x-max-length", 4L, "x-redelivery-delay", 7L, "x-message-ttl", 900L));

        client.ask(session -> session.deletePolicy("a-high"));
        assertThat(status("a").arguments())
                .isEqualTo(Map.of("x-max-length", 5L, "x-redelivery-delay", 7L, "x-message-ttl", 100L));

        client.ask(session -> session.deletePolicy("c-high"));
        assertThat(status("a").arguments()).containsEntry("x-delivery-limit", 3L);
        assertThat(client.declare("a", Map.of("x-max-length", 5L, "x-redelivery-delay", 7L, "x-message-ttl", 900L))
                        .created())
                .as("declared again, as it was declared")
                .isFalse();
    }

    @Test
    @DisplayName("ttl, dead letters, retries: from the next decision on")
    void everyKindOfArgument() {
        client.declare("q");
        client.declare("dead");
        set("p", "q", 0, Map.of("dead-letter-exchange", "", "dead-letter-routing-key", "dead", "delivery-limit", 0L));
        client.send("q", "a");
        TestConsumer consumer = client.consume("q").credit(1);
        consumer.settle(consumer.next(), Outcome.FAILED);
        TestConsumer dead = client.consume("dead").credit(9);
        assertThat(dead.nextText()).isEqualTo("a");

        set("p", "q", 0, Map.of("dead-letter-exchange", "", "dead-letter-routing-key", "dead", "message-ttl", 1000L));
        client.publish(Messages.to("", "q").arrived(broker.nowMs()).text("b"));
        broker.advanceMs(2000);
        assertThat(dead.nextText()).isEqualTo("b");
    }

    @Test
    @DisplayName(
            "a queue that is not used goes when the policy's time is over, and stays when the policy has gone before")
    void queueExpiry() {
        client.declare("short");
        client.declare("kept");
        set("s", "short", 0, Map.of("expires", 60_000L));
        set("k", "kept", 0, Map.of("expires", 30_000L));
        set("s", "short", 0, Map.of("expires", 1_000L));
        client.ask(session -> session.deletePolicy("k"));

        broker.advanceMs(2_000);
        client.sync();
        assertThat(client.session().queue("short")).isNull();

        broker.advanceMs(100_000);
        client.sync();
        assertThat(client.session().queue("kept")).isNotNull();
    }

    @Test
    void policiesSurviveACrashAndARestart() {
        client.declare("q");
        set("p", "q", -5, Map.of("x-max-length", 2L));
        broker.crash();
        client = broker.client();
        client.send("q", "a", "b", "c");
        client.sync();
        assertThat(status("q").ready()).isEqualTo(2);

        broker.restart();
        client = broker.client();

        assertThat(client.onLoop(() -> client.session().policies()))
                .containsExactly(new Policy("p", "q", -5, Map.of("x-max-length", 2L)));
        assertThat(status("q").policy()).isEqualTo("p");
    }

    @Test
    void whatMakesNoSenseIsRefused() {
        List<Map<String, Object>> wrong = List.of(
                Map.of(),
                Map.of("no-such-thing", 1L),
                Map.of("single-active-consumer", true),
                Map.of("max-length", "many"),
                Map.of("overflow", "burst"));
        for (Map<String, Object> definition : wrong) {
            assertThatThrownBy(() -> set("p", "*", 0, definition))
                    .isInstanceOfSatisfying(BrokerException.class, refusal -> {
                        assertThat(refusal.kind()).isEqualTo(ErrorKind.INVALID_ARGUMENT);
                        assertThat(refusal).hasMessageContaining("policy").hasMessageContaining("expected");
                    });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"last-value-key", "x-last-value-key", "single-active-consumer"})
    @DisplayName("what holds from a queue's first message on is refused by name, and queues are as they were (MS-0397)")
    void whatOnlyADeclarationSets(String argument) {
        client.declare("q");
        client.send("q", "a", "b");

        assertThatThrownBy(() -> set("p", "q", 0, Map.of(argument, "color")))
                .isInstanceOf(BrokerException.class)
                .hasMessageContaining("MS-0397")
                .hasMessageContaining(argument)
                .hasMessageContaining("declare the queue with it");

        assertThat(status("q").policy()).isNull();
        assertThat(client.consume("q").credit(2).nextTexts(2)).containsExactly("a", "b");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("[T-4] a ttl counts for messages that wait already, from when they entered their queue")
    void aTtlCountsForWaitingMessages(boolean durable) {
        client.declare("dead");
        client.declare("q", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
        for (int n = 0; n < 3; n++) {
            Messages message = Messages.to("", "q").arrived(TestBroker.START_MS + 500L * n);
            client.publish((durable ? message : message.nonDurable()).text("m" + n));
        }
        broker.advanceMs(1200);
        TestConsumer dead = client.consume("dead").credit(10);

        set("p", "q", 0, Map.of("message-ttl", 1000L));

        assertThat(dead.nextTexts(1)).containsExactly("m0");
        broker.advanceMs(2400);
        assertThat(dead.nextTexts(2)).containsExactly("m1", "m2");
        assertThat(status("q").ready()).isZero();
    }

    @Test
    @DisplayName("[T-4] a ttl that is shortened is so after a restart, too, and before a consumer gets what is over")
    void aShorterTtlHoldsAfterARestart() {
        client.declare("q", Map.of("x-message-ttl", 3_600_000L));
        client.send("q", "old");
        broker.advanceMs(500);
        client.publish(Messages.to("", "q").arrived(broker.nowMs()).text("young"));
        set("p", "q", 0, Map.of("message-ttl", 1000L));
        broker.crash();
        client = broker.client();

        broker.advanceMs(600);

        assertThat(client.consume("q").credit(10).texts(1)).containsExactly("young");
    }
}
