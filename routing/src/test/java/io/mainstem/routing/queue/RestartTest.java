package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.message.Message;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is still there after a stop or a crash. */
final class RestartTest {
    private final TestBroker broker = new TestBroker();
    private TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    private void stop(boolean cleanly) {
        if (cleanly) {
            broker.restart();
        } else {
            broker.crash();
        }
        client = broker.client();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void confirmedMessagesComeInOrderAndOnce(boolean cleanly) {
        client.declare("q");
        client.send("q", "a", "b", "c");

        stop(cleanly);

        TestConsumer consumer = client.consume("q").credit(10);
        assertThat(consumer.nextTexts(3)).containsExactly("a", "b", "c");
        assertThat(consumer.texts()).isEmpty();
    }

    @Test
    @DisplayName("what may have been delivered before a crash is flagged so after the clean stop behind it, too")
    void flaggedAfterACrashAndAStop() {
        client.declare("q");
        client.send("q", "a");
        stop(true);
        client.consume("q").credit(1).next();
        stop(false);

        stop(true);

        assertThat(client.consume("q").credit(1).next().acquired()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void settledMessagesStayAwayAndUnsettledComeBackFlagged(boolean cleanly) {
        client.declare("q");
        client.send("q", "a", "b", "c");
        TestConsumer consumer = client.consume("q").credit(2);
        consumer.nextTexts(2);
        consumer.settle(0, 0, Outcome.ACCEPTED);
        client.sync();

        stop(cleanly);

        TestConsumer later = client.consume("q").credit(10);
        Delivery held = later.next();
        assertThat(Messages.text(held)).isEqualTo("b");
        assertThat(held.acquired()).isTrue();
        assertThat(later.nextText()).isEqualTo("c");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void failureCountsAreKept(boolean cleanly) {
        client.declare("q");
        client.send("q", "a");
        TestConsumer consumer = client.consume("q").credit(2);
        consumer.settle(consumer.next(), Outcome.FAILED);
        consumer.settle(consumer.next(), Outcome.FAILED);
        client.sync();

        stop(cleanly);

        assertThat(client.consume("q").credit(1).next().failed()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nonDurableMessagesAreGone(boolean cleanly) {
        client.declare("q");
        client.publish(List.of(Messages.nonDurable("q", "gone"), Messages.durable("q", "kept")));

        stop(cleanly);

        assertThat(client.consume("q").credit(5).texts(1)).containsExactly("kept");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("[L-2] a message above 1 MiB is stored in parts and comes back whole, dead-lettered too")
    void largeMessagesComeBackWhole(boolean cleanly) {
        client.declare("dead");
        client.declare("q", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
        List<byte[]> pieces = new ArrayList<>();
        for (int piece = 0; piece < 3; piece++) {
            byte[] bytes = new byte[1 << 20];
            Arrays.fill(bytes, (byte) ('a' + piece));
            pieces.add(bytes);
        }
        Message small = Messages.durable("q", "");
        client.publish(new Message(small.envelope(), pieces));
        TestConsumer consumer = client.consume("q").credit(1);
        String sent = consumer.nextText();
        consumer.settle(0, 0, new Outcome.Rejected("no"));
        client.consume("dead").credit(1).next();

        stop(cleanly);

        Delivery dead = client.consume("dead").credit(1).next();
        assertThat(sent).hasSize(3 << 20);
        assertThat(Messages.text(dead)).isEqualTo(sent);
        assertThat(dead.message().envelope().deaths()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void purgedAndDeletedMessagesStayAway(boolean cleanly) {
        client.declare("purged");
        client.declare("deleted");
        client.send("purged", "a");
        client.send("deleted", "a");
        client.purge("purged");
        client.delete("deleted");

        stop(cleanly);

        client.declare("deleted");
        assertThat(client.consume("purged").credit(5).texts()).isEmpty();
        assertThat(client.consume("deleted").credit(5).texts()).isEmpty();
    }

    @Test
    void aCleanStopCancelsConsumersAndAnswersWhatIsUnderWay() {
        client.declare("q");
        TestConsumer consumer = client.consume("q").credit(5);

        broker.restart();

        assertThat(consumer.awaitCancelled()).isEqualTo(ErrorKind.UNAVAILABLE);
    }

    @Test
    @DisplayName("[J-3] a clean stop is no failure of those that hold messages; what they have settled counts")
    void aCleanStopCountsNoFailedDelivery() {
        client.declare("q");
        client.send("q", "accepted", "held");
        TestConsumer consumer = client.consume("q", new ConsumerSpec("c", false, false, false, 0, Outcome.FAILED))
                .credit(2);
        consumer.nextTexts(2);
        consumer.settle(0, 0, Outcome.ACCEPTED);

        stop(true);

        Delivery held = client.consume("q").credit(5).next();
        assertThat(Messages.text(held)).isEqualTo("held");
        assertThat(held.failed()).isZero();
    }
}
