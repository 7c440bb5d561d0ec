package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.Transaction;
import io.mainstem.routing.message.Message;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** x-max-length, x-max-length-bytes and x-overflow. */
@DisplayName("[L-10] limits of a queue's length")
final class LengthLimitTest {
    private final TestBroker broker = new TestBroker();
    private final TestClient client = broker.client();

    @BeforeEach
    void declare() {
        client.declare("dead");
    }

    @AfterEach
    void close() {
        broker.close();
    }

    private void declare(Map<String, Object> limit) {
        Map<String, Object> all = new HashMap<>(limit);
        all.put("x-dead-letter-exchange", "");
        all.put("x-dead-letter-routing-key", "dead");
        client.declare("q", all);
    }

    private static List<Message> messages(boolean durable, int count) {
        List<Message> messages = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            messages.add(durable ? Messages.durable("q", "m" + number) : Messages.nonDurable("q", "m" + number));
        }
        return messages;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("[T-3] drop-head keeps the newest and dead-letters the others as maxlen")
    void dropHeadKeepsTheNewest(boolean durable) {
        declare(Map.of("x-max-length", 3L));

        client.publish(messages(durable, 1000));

        TestConsumer dead = client.consume("dead").credit(2000);
        var first = dead.next();
        assertThat(Messages.text(first)).isEqualTo("m0");
        assertThat(first.message().envelope().deaths().get(0).reason()).isEqualTo("maxlen");
        assertThat(dead.nextTexts(996)).startsWith("m1").endsWith("m996");
        assertThat(dead.texts()).isEmpty();
        assertThat(client.consume("q").credit(10).nextTexts(3)).containsExactly("m997", "m998", "m999");
    }

    @Test
    void messagesInFlightDoNotCountInTheLength() {
        declare(Map.of("x-max-length", 2L));
        client.publish(messages(true, 2));
        TestConsumer consumer = client.consume("q").credit(2);
        assertThat(consumer.nextTexts(2)).containsExactly("m0", "m1");

        client.publish(messages(true, 2));
        client.sync();

        assertThat(client.consume("dead").credit(5).texts()).isEmpty();
    }

    @Test
    void bytesAreLimitedToo() {
        declare(Map.of("x-max-length-bytes", 10_000L));
        List<Message> messages = new ArrayList<>();
        for (int number = 0; number < 100; number++) {
            messages.add(Messages.durable("q", "m" + number + "x".repeat(1000)));
        }

        client.publish(messages);
        client.sync();

        List<String> kept = client.consume("q").credit(100).texts();
        assertThat(kept).hasSizeBetween(7, 9);
        assertThat(kept.get(kept.size() - 1)).startsWith("m99x");
    }

    @Test
    @DisplayName("[mapping 5.4] reject-publish refuses what is too much, for all of its queues, until there is room")
    void rejectPublishRefuses() {
        declare(Map.of("x-max-length", 2L, "x-overflow", "reject-publish"));
        client.declare("other");
        client.bind("amq.fanout", "q", "");
        client.bind("amq.fanout", "other", "");
        client.publish(messages(true, 2));
        client.sync();

        assertThatThrownBy(() -> client.onLoop(() -> {
                    client.session().publish(Messages.to("amq.fanout", "").text("too much"), 1, (tag, result) -> {});
                    return true;
                }))
                .hasStackTraceContaining("MS-0391 queue 'q' is full")
                .hasStackTraceContaining(BrokerException.class.getName());
        TestConsumer consumer = client.consume("q").credit(1);
        consumer.settle(consumer.next(), Outcome.ACCEPTED);
        client.sync();

        assertThat(client.publish(Messages.to("amq.fanout", "").text("fits"))).isEqualTo(new PublishResult.Stored(2));
        assertThat(client.consume("other").credit(5).texts(1)).containsExactly("fits");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("reject-publish takes no more than there is room for, however many are published in one write")
    void rejectPublishStopsWhoPipelines(boolean durable) {
        declare(Map.of("x-max-length", 10L, "x-overflow", "reject-publish"));

        List<PublishResult> results = client.publish(messages(durable, 900));

        assertThat(results.subList(0, 10))
                .allSatisfy(result -> assertThat(result).isInstanceOf(PublishResult.Stored.class));
        assertThat(results.subList(10, 900))
                .allSatisfy(result -> assertThat(result)
                        .isInstanceOfSatisfying(
                                PublishResult.Refused.class,
                                why -> assertThat(why.text()).contains("queue 'q' is full")));
        assertThat(client.consume("q").credit(1000).texts(10)).startsWith("m0").endsWith("m9");
        client.publish(messages(durable, 5));
    }

    @Test
    @DisplayName("reject-publish: two publishers at once get as much room together as there is")
    void rejectPublishOfTwoPublishers() {
        declare(Map.of("x-max-length", 10L, "x-overflow", "reject-publish"));
        List<TestClient> clients = List.of(client, broker.client());
        List<PublishResult> results = new CopyOnWriteArrayList<>();
        for (TestClient each : clients) {
            each.onLoop(() -> {
                messages(true, 100).forEach(message -> publish(each, message, results));
                each.session().flush();
                return true;
            });
        }
        clients.forEach(TestClient::sync);

        assertThat(results.stream().filter(PublishResult.Stored.class::isInstance))
                .hasSize(10);
    }

    /** What is known to be full already is refused at once. */
    private static void publish(TestClient by, Message message, List<PublishResult> results) {
        try {
            by.session().publish(message, 0, (tag, result) -> results.add(result));
        } catch (BrokerException full) {
            assertThat(full).hasMessageContaining("queue 'q' is full");
        }
    }

    @Test
    @DisplayName("reject-publish: bytes on their way count, too")
    void rejectPublishCountsBytesOnTheirWay() {
        declare(Map.of("x-max-length-bytes", 10_000L, "x-overflow", "reject-publish"));
        List<Message> messages = new ArrayList<>();
        for (int number = 0; number < 100; number++) {
            messages.add(Messages.durable("q", "m" + number + "x".repeat(1000)));
        }

        assertThat(client.publish(messages).stream().filter(PublishResult.Stored.class::isInstance))
                .hasSizeBetween(7, 10);
    }

    @Test
    @DisplayName("reject-publish: a transaction that does not fit is rolled back, and leaves the room as it was")
    void rejectPublishOfATransaction() {
        declare(Map.of("x-max-length", 10L, "x-overflow", "reject-publish"));
        for (int times = 0; times < 2; times++) {
            Transaction transaction = client.onLoop(() -> {
                Transaction begun = client.session().begin();
                messages(true, 11).forEach(begun::publish);
                return begun;
            });
            assertThatThrownBy(() -> client.ask(session -> transaction.commit()))
                    .hasStackTraceContaining("queue 'q' is full");
        }
        Transaction fits = client.onLoop(() -> {
            Transaction begun = client.session().begin();
            messages(true, 10).forEach(begun::publish);
            return begun;
        });
        client.ask(session -> fits.commit());

        assertThat(client.consume("q").credit(100).texts(10)).hasSize(10);
        assertThat(client.publish(messages(true, 11)).stream().filter(PublishResult.Stored.class::isInstance))
                .hasSize(10);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("[mapping 5.4] [T-3] reject-publish-dlx refuses what is too much, and dead-letters it as maxlen")
    void rejectPublishDeadLetters(boolean durable) {
        declare(Map.of("x-max-length", 2L, "x-overflow", "reject-publish-dlx"));
        client.publish(messages(durable, 2));
        client.sync();

        Message refused = durable ? Messages.durable("q", "too much") : Messages.nonDurable("q", "too much");
        assertThatThrownBy(() -> client.onLoop(() -> {
                    client.session().publish(refused, 1, (tag, result) -> {});
                    return true;
                }))
                .hasStackTraceContaining("MS-0391 queue 'q' is full");
        client.sync();

        var dead = client.consume("dead").credit(5).next();
        assertThat(Messages.text(dead)).isEqualTo("too much");
        assertThat(dead.message().envelope().deaths())
                .extracting(death -> death.queue() + " " + death.reason() + " " + death.count())
                .containsExactly("q maxlen 1");
        assertThat(client.consume("q").credit(5).texts(2)).containsExactly("m0", "m1");
    }

    @Test
    @DisplayName("[T-3] reject-publish-dlx does not dead-letter into the queue that has just refused")
    void deadLetterNotIntoTheSameQueue() {
        client.declare(
                "q",
                Map.of(
                        "x-max-length",
                        1L,
                        "x-overflow",
                        "reject-publish-dlx",
                        "x-dead-letter-exchange",
                        "",
                        "x-dead-letter-routing-key",
                        "q"));
        client.publish(messages(true, 1));
        client.sync();

        assertThatThrownBy(() -> client.onLoop(() -> {
                    client.session().publish(Messages.durable("q", "too much"), 1, (tag, result) -> {});
                    return true;
                }))
                .hasStackTraceContaining("MS-0391");
        client.sync();

        assertThat(client.consume("q").credit(5).texts(1)).containsExactly("m0");
    }

    @Test
    void blockHoldsThePublisherBackUntilThereIsRoom() {
        declare(Map.of("x-max-length", 2L, "x-overflow", "block"));
        client.publish(messages(true, 3));
        client.sync();
        assertThat(client.onLoop(() -> client.session().writable())).isFalse();
        assertThat(client.onLoop(() -> client.session().blockedReason())).contains("queue 'q' is full");
        CompletableFuture<Boolean> writable = new CompletableFuture<>();
        client.onLoop(() -> {
            client.session().onWritable(() -> writable.complete(true));
            return true;
        });

        TestClient other = broker.client();
        TestConsumer consumer = other.consume("q").credit(3);

        assertThat(consumer.nextTexts(3)).containsExactly("m0", "m1", "m2");
        assertThat(TestClient.get(writable)).isTrue();
    }

    @Test
    void aPublisherThatIsGoneIsNotRememberedByAFullQueue() {
        declare(Map.of("x-max-length", 2L, "x-overflow", "block"));
        client.publish(messages(true, 3));
        for (int sessions = 0; sessions < 3; sessions++) {
            try (TestClient other = broker.client()) {
                other.publish(messages(true, 2));
            }
        }
        client.sync();

        assertThat(broker.heldBack()).isEqualTo(1);
        client.purge("q");
        client.sync();
        assertThat(broker.heldBack()).isZero();
        assertThat(client.onLoop(() -> client.session().writable())).isTrue();
    }

    @Test
    void aLimitHoldsAfterACrash() {
        declare(Map.of("x-max-length", 3L));
        client.publish(messages(true, 10));
        client.sync();
        broker.crash();
        TestClient again = broker.client();

        again.publish(Messages.durable("q", "last"));
        again.sync();

        assertThat(again.consume("q").credit(10).texts(3)).containsExactly("m8", "m9", "last");
    }
}
