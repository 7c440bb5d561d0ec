package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.Delivery;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.message.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What a limit has decided is in the log: a replay finds it, and decides nothing again. */
@DisplayName("[L-10] replay after a crash leads to the state that limits had made")
final class LimitsReplayTest {
    private static final long TTL_MS = 10_000;

    private final TestBroker broker = new TestBroker();
    private TestClient client = broker.client();

    @BeforeEach
    void declare() {
        client.declare("dead");
        client.declare("other");
    }

    @AfterEach
    void close() {
        broker.close();
    }

    private void declare(String argument, long value) {
        client.declare("q", Map.of(argument, value, "x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
    }

    private void crash() {
        // What was asked for before this is in the log once this is.
        client.send("other", "mark");
        broker.crash();
        client = broker.client();
    }

    private List<String> drain(String queue, int count) {
        TestConsumer consumer = client.consume(queue).credit(count + 10);
        List<String> texts = new ArrayList<>();
        for (int at = 0; at < count; at++) {
            Delivery delivery = consumer.next();
            texts.add(Messages.text(delivery));
            consumer.settle(delivery, Outcome.ACCEPTED);
        }
        texts.addAll(consumer.texts());
        consumer.close();
        client.sync();
        return texts;
    }

    private boolean exists(String queue) {
        return client.onLoop(() -> client.session().queue(queue) != null);
    }

    private void pass(long ms) {
        broker.advanceMs(ms);
        client.sync();
    }

    private Message withTtl(String text) {
        return Messages.to("", "q").arrived(broker.nowMs()).withTtl(TTL_MS).text(text);
    }

    @Test
    @DisplayName("a ring has its newest messages, and each it has dropped is a dead letter once")
    void ring() {
        int count = 1000;
        declare("x-max-length", 3);
        List<Message> messages = new ArrayList<>();
        List<String> dropped = new ArrayList<>();
        for (int number = 0; number < count; number++) {
            messages.add(Messages.durable("q", "m" + number));
            dropped.add("m" + number);
        }
        client.publish(messages);
        TestConsumer dead = client.consume("dead").credit(count);
        dead.nextTexts(count - 3);
        dead.close();

        crash();
        crash();

        assertThat(drain("dead", count - 3)).isEqualTo(dropped.subList(0, count - 3));
        client.send("q", "newer");
        assertThat(drain("dead", 1)).containsExactly("m997");
        assertThat(drain("q", 3)).containsExactly("m998", "m999", "newer");
        crash();
        assertThat(drain("dead", 0)).isEmpty();
        assertThat(drain("q", 0)).isEmpty();
    }

    @Test
    @DisplayName("a ring counts what was in flight at the crash again")
    void ringWithDeliveries() {
        declare("x-max-length", 2);
        client.send("q", "a", "b");
        client.consume("q").credit(2).nextTexts(2);
        client.send("q", "c", "d");

        crash();
        client.send("q", "e");

        assertThat(drain("dead", 3)).containsExactly("a", "b", "c");
        assertThat(drain("q", 2)).containsExactly("d", "e");
    }

    @Test
    @DisplayName("a queue that x-expires has deleted does not come back, nor do its messages")
    void expiredQueue() {
        client.declare("q", Map.of("x-expires", 500L));
        client.send("q", "a");
        pass(500);
        assertThat(exists("q")).isFalse();

        crash();

        assertThat(exists("q")).isFalse();
        assertThat(client.declare("q", Map.of("x-expires", 500L)).created()).isTrue();
        assertThat(drain("q", 0)).isEmpty();
    }

    @Test
    @DisplayName("a queue with x-expires that was there is there with its messages, and expires")
    void queueThatExpiresLater() {
        client.declare("q", Map.of("x-expires", 500L));
        client.send("q", "a");
        pass(400);

        crash();

        assertThat(exists("q")).isTrue();
        assertThat(drain("q", 1)).containsExactly("a");
        pass(500);
        assertThat(exists("q")).isFalse();
    }

    @Test
    @DisplayName("x-message-ttl counts on from the arrival, not from the start")
    void queueTtl() {
        declare("x-message-ttl", TTL_MS);
        client.publish(Messages.to("", "q").arrived(broker.nowMs()).text("a"));
        pass(TTL_MS - 1);

        crash();
        client.sync();
        assertThat(drain("dead", 0)).isEmpty();
        pass(1);

        assertThat(drain("dead", 1)).containsExactly("a");
        assertThat(drain("q", 0)).isEmpty();
        crash();
        assertThat(drain("dead", 0)).isEmpty();
        assertThat(drain("q", 0)).isEmpty();
    }

    @Test
    @DisplayName("a message's own ttl counts on, and one that expired does not come back")
    void messageTtl() {
        client.declare("q", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
        client.publish(withTtl("early"));
        broker.advanceMs(TTL_MS / 2);
        client.publish(withTtl("late"));
        pass(TTL_MS / 2);
        assertThat(client.consume("dead").credit(5).next())
                .satisfies(delivery -> assertThat(Messages.text(delivery)).isEqualTo("early"));

        crash();
        assertThat(drain("dead", 1)).containsExactly("early");
        pass(TTL_MS / 2);

        assertThat(drain("dead", 1)).containsExactly("late");
        assertThat(drain("q", 0)).isEmpty();
    }

    @Test
    @DisplayName("what expired while no broker ran is a dead letter soon after the start")
    void expiredMeanwhile() {
        client.declare("q", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
        client.publish(withTtl("a"));
        client.send("other", "mark");
        broker.passMs(TTL_MS);

        crash();

        assertThat(drain("dead", 1)).containsExactly("a");
        assertThat(drain("q", 0)).isEmpty();
    }
}
