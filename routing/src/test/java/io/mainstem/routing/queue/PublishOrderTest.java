package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.Delivery;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.PublishListener;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.PublishId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What one session publishes arrives in its order, also behind what has to wait on the shard [L-9]. */
final class PublishOrderTest {
    // Messages leave memory at once, so that dead letters have to be read back.
    private final TestBroker broker = new TestBroker(new ShardSettings(1024, 4096, 1 << 20, 1 << 20, 0, 1 << 20));
    private final TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.files().holdReads(false);
        broker.close();
    }

    private void publish(TestClient by, Message... messages) {
        by.onLoop(() -> {
            for (Message message : messages) {
                by.session().publish(message, 1, PublishListener.NONE);
            }
            by.session().flush();
            return true;
        });
    }

    private static Message named(String text, String name) {
        Message message = Messages.durable("q", text);
        return new Message(message.envelope(), message.sections(), new PublishId.Name(name));
    }

    private static Message retained(Message message) {
        Envelope it = message.envelope();
        Envelope retained = new Envelope(
                it.exchange(),
                it.keys(),
                it.durable(),
                it.priority(),
                it.arrivalMs(),
                it.ttlMs(),
                it.expireAtMs(),
                it.deliverAtMs(),
                it.publisherId(),
                it.user(),
                it.origin(),
                it.publisherQos(),
                true,
                it.offsets(),
                it.deaths());
        return new Message(retained, message.sections());
    }

    /** Takes a message to be rejected, which has to be read from the disk. */
    private TestTransaction rejecting() {
        client.declare("dead");
        client.declare("in", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
        client.send("in", "x");
        TestConsumer consumer = client.consume("in").credit(1);
        Delivery delivery = consumer.next();
        return new TestTransaction(client).settle(consumer, delivery, new Outcome.Rejected("no"));
    }

    @Test
    @DisplayName("a commit that reads its dead letters from the disk is not overtaken")
    void behindADeadLetter() {
        client.declare("q");
        TestTransaction transaction = rejecting().send("q", "1");
        TestTransaction next = new TestTransaction(client).send("q", "2");
        TestConsumer consumer = client.consume("q").credit(5);
        broker.files().holdReads(true);

        client.onLoop(() -> {
            transaction.commitOnLoop();
            next.commitOnLoop();
            client.session().publish(Messages.durable("q", "3"), 1, PublishListener.NONE);
            client.session().publish(named("4", "id"), 1, PublishListener.NONE);
            client.session().flush();
            return true;
        });
        client.sync();
        assertThat(consumer.texts()).as("nothing before the commit").isEmpty();
        broker.files().holdReads(false);

        assertThat(consumer.nextTexts(4)).containsExactly("1", "2", "3", "4");
        publish(client, Messages.durable("q", "5"));
        assertThat(consumer.nextText()).isEqualTo("5");
    }

    @Test
    @DisplayName("what waits for another connection's publish of the same id is not overtaken")
    void behindAnId() {
        client.declare("q");
        TestClient other = broker.client();
        TestTransaction holdsTheId = rejecting();
        holdsTheId.publish(named("1", "id"));
        TestConsumer consumer = client.consume("q").credit(5);
        broker.files().holdReads(true);
        client.onLoop(() -> {
            holdsTheId.commitOnLoop();
            client.session().flush();
            return true;
        });
        client.sync();

        publish(other, named("1", "id"), Messages.durable("q", "2"));
        publish(other, Messages.durable("q", "3"), named("4", "another"));
        other.sync();
        assertThat(consumer.texts()).as("nothing before it is known").isEmpty();
        broker.files().holdReads(false);

        assertThat(consumer.nextTexts(4)).containsExactly("1", "2", "3", "4");
    }

    @Test
    @DisplayName("messages in memory do not overtake those of a commit that is on its way to the disk")
    void inMemoryBehindACommit() {
        client.declare(new QueueSpec("light", false, false, false, false, Map.of()));
        TestTransaction transaction = rejecting();
        transaction.publish(Messages.nonDurable("light", "1"));
        TestTransaction next = new TestTransaction(client);
        next.publish(Messages.nonDurable("light", "2"));
        TestConsumer consumer = client.consume("light").credit(5);

        client.onLoop(() -> {
            transaction.commitOnLoop();
            next.commitOnLoop();
            client.session().publish(Messages.nonDurable("light", "3"), 1, PublishListener.NONE);
            client.session().flush();
            return true;
        });

        assertThat(consumer.nextTexts(3)).containsExactly("1", "2", "3");
    }

    @Test
    @DisplayName("[MQTT-4.6.0-6] a message in memory does not overtake one that is kept on disk as retained, too")
    void inMemoryBehindRetained() {
        client.declare(new QueueSpec("light", false, false, false, false, Map.of()));
        client.bind("amq.topic", "light", "t");
        TestConsumer consumer = client.consume("light").credit(400);

        for (int i = 0; i < 30; i++) {
            publish(
                    client,
                    retained(Messages.to("amq.topic", "t").text("a")),
                    Messages.to("amq.topic", "t").text("b"));

            assertThat(consumer.nextTexts(2)).containsExactly("a", "b");
        }
    }

    @Test
    @DisplayName("the end of a session that waits leaves nothing behind, and what it has published arrives")
    void endOfSession() {
        client.declare("q");
        TestTransaction holdsTheId = rejecting();
        holdsTheId.publish(named("1", "id"));
        broker.files().holdReads(true);
        client.onLoop(() -> {
            holdsTheId.commitOnLoop();
            client.session().flush();
            return true;
        });
        client.sync();
        TestClient other = broker.client();

        publish(other, named("1", "id"), Messages.durable("q", "2"));
        other.close();
        client.sync();
        broker.files().holdReads(false);

        assertThat(client.consume("q").credit(5).nextTexts(2)).isEqualTo(List.of("1", "2"));
    }

    @Test
    @DisplayName("what waits behind a commit that is queued at once is not overtaken by what comes behind it")
    void aHoldBehindAnotherIsKept() {
        PublishOrder order = new PublishOrder();
        List<String> done = new ArrayList<>();
        order.begun();
        order.run(() -> {
            order.hold();
            order.queueInMemory(() -> {
                order.queueing();
                done.add("commit");
                order.queued();
            });
            order.goOn();
        });
        order.run(() -> {
            order.hold();
            done.add("waits for its id");
        });
        order.run(() -> done.add("last"));

        order.seen();
        assertThat(done).containsExactly("commit", "waits for its id");

        order.goOn();
        assertThat(done).containsExactly("commit", "waits for its id", "last");
    }
}
