package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.QueueStatus;
import io.mainstem.routing.message.Message;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** x-last-value-key. */
@DisplayName("[L-8] last-value queues (ADR 0049)")
final class LastValueQueueTest {
    private TestBroker broker = new TestBroker();
    private TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    private void declare(Map<String, Object> more) {
        Map<String, Object> arguments = new HashMap<>(more);
        arguments.put("x-last-value-key", "color");
        client.declare("q", arguments);
    }

    private void send(Message... messages) {
        assertThat(client.publish(List.of(messages)))
                .allSatisfy(result -> assertThat(result).isInstanceOf(PublishResult.Stored.class));
    }

    private static Colored colored(boolean durable) {
        return durable ? Colored.to("q") : Colored.to("q").nonDurable();
    }

    private QueueStatus status() {
        return client.ask(session -> session.status(List.of("q"))).get(0);
    }

    private TestConsumer browser() {
        return client.consume("q", new ConsumerSpec("b", false, true, false, 0, Outcome.RELEASED));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theNewestOfEachValueIsLeft(boolean durable) {
        declare(Map.of());
        for (int n = 0; n < 300; n += 3) {
            send(
                    colored(durable).of("red", n),
                    colored(durable).of("blue", n + 1),
                    colored(durable).of("red", n + 2));
        }

        Colored.assertNext(client.consume("q").credit(1000), 298, 299);
    }

    @ParameterizedTest
    @CsvSource({"true, false", "false, true"})
    void aNewerMessageReplacesOneOfTheOtherDurability(boolean first, boolean second) {
        declare(Map.of());
        send(colored(first).of("red", 1));
        send(colored(second).of("red", 2));

        Colored.assertNext(client.consume("q").credit(10), 2);
    }

    @Test
    void prioritiesDoNotCount() {
        declare(Map.of());
        send(
                Colored.to("q").withPriority(9).of("red", 1),
                Colored.to("q").withPriority(0).of("blue", 2));
        send(Colored.to("q").withPriority(0).of("red", 3));

        Colored.assertNext(client.consume("q").credit(10), 2, 3);
    }

    @Test
    void messagesWithoutTheValueAreKept() {
        declare(Map.of());
        send(Messages.durable("q", "one"), Messages.durable("q", "two"));

        assertThat(client.consume("q").credit(10).nextTexts(2)).containsExactly("one", "two");
    }

    @Test
    @DisplayName("a message in flight stays with its consumer, and does not come back if it was replaced")
    void whatIsInFlightStaysAndDoesNotComeBack() {
        declare(Map.of());
        TestConsumer consumer = client.consume("q").credit(1);
        send(Colored.to("q").of("red", 1));
        Delivery first = consumer.next();
        assertThat(Colored.n(first)).isEqualTo(1);

        send(Colored.to("q").of("red", 2));
        client.sync();
        consumer.settle(first, Outcome.FAILED).credit(10);

        Colored.assertNext(consumer, 2);
        assertThat(status().ready() + status().unacknowledged()).isEqualTo(1);
    }

    @Test
    void whatComesBackUnreplacedIsDeliveredAgain() {
        declare(Map.of());
        TestConsumer consumer = client.consume("q").credit(1);
        send(Colored.to("q").of("red", 1), Colored.to("q").of("blue", 2));

        consumer.settle(consumer.next(), Outcome.RELEASED).credit(10);

        Colored.assertNext(consumer, 1, 2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("[promise 2] after a crash or a stop the last values are there, and are replaced by what comes then")
    void lastValuesSurvive(boolean crash) {
        declare(Map.of());
        for (int n = 0; n < 500; n++) {
            send(Colored.to("q").of("color " + n % 100, n));
        }

        if (crash) {
            broker.crash();
        } else {
            broker.restart();
        }
        client = broker.client();
        send(Colored.to("q").of("color 7", 1000));

        List<Long> expected = new ArrayList<>();
        for (long n = 400; n < 500; n++) {
            if (n != 407) {
                expected.add(n);
            }
        }
        expected.add(1000L);
        Colored.assertNext(
                client.consume("q").credit(1000),
                expected.stream().mapToLong(Long::longValue).toArray());
    }

    @Test
    @DisplayName("a replaced message whose entry is on disk only is settled all the same")
    void entriesOnDiskAreReplacedToo() {
        broker.close();
        broker = new TestBroker(new ShardSettings(1024, 4096, 1 << 20, 1 << 20, 1 << 30, 1 << 20));
        client = broker.client();
        declare(Map.of());
        int keys = 3000;
        for (int round = 0; round < 2; round++) {
            List<Message> all = new ArrayList<>();
            for (int n = 0; n < keys; n++) {
                all.add(Colored.to("q").of("color " + n, (long) round * keys + n));
            }
            client.publish(all);
        }

        TestConsumer consumer = client.consume("q").credit(2L * keys);
        for (int n = 0; n < keys; n++) {
            assertThat(Colored.n(consumer.next())).isEqualTo(keys + n);
        }
        assertThat(consumer.texts()).isEmpty();
    }

    @Test
    void aBrowserSeesLastValuesOnly() {
        declare(Map.of());
        send(
                Colored.to("q").of("red", 1),
                Colored.to("q").of("blue", 2),
                Colored.to("q").of("red", 3));

        Colored.assertNext(browser().credit(10), 2, 3);
        Colored.assertNext(browser().credit(10), 2, 3);
    }

    @Test
    @DisplayName("[T-3] a replaced message is no dead letter, an expired last value is one")
    void onlyWhatExpiresIsADeadLetter() {
        client.declare("dead");
        declare(Map.of("x-message-ttl", 1000L, "x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
        send(Colored.to("q").of("red", 1), Colored.to("q").of("red", 2));

        broker.advanceMs(1001);

        Colored.assertNext(client.consume("dead").credit(10), 2);
    }

    @Test
    @DisplayName("[T-3] a dead letter replaces too, now and when the log is read again")
    void deadLettersReplaceToo() {
        client.declare("seen");
        client.declare("first", Map.of("x-message-ttl", 1000L, "x-dead-letter-exchange", "amq.fanout"));
        declare(Map.of());
        client.bind("amq.fanout", "q", "");
        client.bind("amq.fanout", "seen", "");
        send(Colored.to("first").of("red", 2));
        send(Colored.to("q").of("red", 1), Colored.to("q").of("blue", 3));

        broker.advanceMs(1001);
        Colored.assertNext(client.consume("seen").credit(1), 2);
        broker.crash();
        client = broker.client();

        Colored.assertNext(client.consume("q").credit(10), 3, 2);
    }

    @Test
    @DisplayName("a purge leaves nothing that a later message could replace")
    void purgedValuesAreGone() {
        declare(Map.of());
        send(Colored.to("q").of("red", 1), Colored.to("q").nonDurable().of("blue", 2));
        assertThat(client.purge("q")).isEqualTo(2);

        send(Colored.to("q").of("red", 3));
        send(Colored.to("q").of("red", 4));

        Colored.assertNext(client.consume("q").credit(10), 4);
    }

    @Test
    void aTransactionReplacesWhenItCommits() {
        declare(Map.of());
        send(Colored.to("q").of("red", 1));
        TestTransaction transaction = new TestTransaction(client);
        transaction.publish(Colored.to("q").of("red", 2));
        transaction.publish(Colored.to("q").of("red", 3));
        assertThat(status().ready()).isEqualTo(1);

        transaction.commit();

        Colored.assertNext(client.consume("q").credit(10), 3);
    }

    @Test
    @DisplayName(
            "[L-10] what has been replaced takes no room of a length limit, not even while its record is under way")
    void replacedMessagesTakeNoRoom() {
        declare(Map.of("x-max-length", 2L, "x-max-length-bytes", 400L));
        send(Colored.to("q").of("red", 1), Colored.to("q").of("blue", 2));
        for (int n = 3; n < 100; n++) {
            send(Colored.to("q").of("blue", n));
        }

        Colored.assertNext(client.consume("q").credit(10), 1, 99);
    }

    @Test
    @DisplayName("what has been replaced is forgotten, also where no limit is measured")
    void replacedMessagesAreForgotten() {
        declare(Map.of());
        for (int n = 0; n < 500; n++) {
            send(Colored.to("q").of("red", n));
        }

        assertThat(broker.leavingValues("q")).isLessThan(10);
    }

    @Test
    @DisplayName("memory for keys is bounded: what does not fit is kept as in any queue, and nothing is lost")
    void furtherKeysAreKeptUnreplaced() {
        broker.close();
        ShardSettings usual = ShardSettings.forHeap(1 << 26);
        broker = new TestBroker(new ShardSettings(
                usual.tailCacheBytes(),
                usual.readAheadBytes(),
                usual.coldReadsMax(),
                usual.transientQueueBytesMax(),
                usual.transientBytesMax(),
                usual.spoolBytesMax(),
                usual.sessionInFlightBytesMax(),
                usual.nearEntriesMax(),
                1024,
                usual.dedup(),
                usual.topology()));
        client = broker.client();
        declare(Map.of());
        for (int round = 0; round < 2; round++) {
            for (int n = 0; n < 100; n++) {
                send(Colored.to("q").of("color " + n, n));
            }
        }

        long ready = status().ready();
        assertThat(ready).isGreaterThan(100).isLessThan(200);
    }

    @Test
    void anEmptyNameIsRefused() {
        assertThat(TestClient.refusal(() -> client.declare("bad", Map.of("x-last-value-key", ""))))
                .isEqualTo(ErrorKind.INVALID_ARGUMENT);
    }
}
