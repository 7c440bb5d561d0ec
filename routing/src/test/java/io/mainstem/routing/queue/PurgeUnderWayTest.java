package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.Delivery;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.PublishListener;
import io.mainstem.routing.PublishResult;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Between the submission of a PURGE record and its being applied no record may refer to what it takes away. */
@DisplayName("store 5: what a purge takes away is not referred to any more")
final class PurgeUnderWayTest {
    private static final Outcome REJECTED = new Outcome.Rejected("no");

    private final TestBroker broker = new TestBroker();
    private TestClient client = broker.client();

    @BeforeEach
    void declare() {
        client.declare("dead");
        client.declare("q", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
    }

    @AfterEach
    void close() {
        broker.close();
    }

    @Test
    @DisplayName("a reject right behind the deletion of its queue dead-letters nothing")
    void rejectBehindDeletion() {
        client.send("q", "a");
        TestConsumer consumer = client.consume("q").credit(1);
        Delivery delivery = consumer.next();

        TestClient.get(client.onLoop(() -> {
            CompletionStage<Long> deleted = client.session().deleteQueue("q", false, false);
            consumer.handle().settle(delivery.deliveryId(), delivery.deliveryId(), REJECTED);
            client.session().flush();
            return deleted;
        }));

        nothingIsDead();
    }

    @Test
    @DisplayName("an expiry while a purge is on its way to disk dead-letters nothing")
    void expiryBehindPurge() {
        assertThat(client.publish(Messages.to("", "q")
                        .arrived(broker.nowMs())
                        .withTtl(100_000)
                        .text("a")))
                .isInstanceOf(PublishResult.Stored.class);
        client.sync();

        broker.files().holdLogWrites(true);
        CompletionStage<Long> purged = client.onLoop(() -> {
            CompletionStage<Long> answer = client.session().purgeQueue("q");
            client.session().flush();
            return answer;
        });
        statusOfQueue();
        broker.advanceMs(200_000);
        for (int turn = 0; turn < 3; turn++) {
            statusOfQueue();
        }
        assertThat(purged.toCompletableFuture()).isNotDone();
        broker.files().holdLogWrites(false);

        assertThat(TestClient.get(purged)).isEqualTo(1);
        nothingIsDead();
    }

    @Test
    @DisplayName("a purge takes what is there when it is asked for, not what comes while it is under way")
    void whatComesMeanwhileStays() {
        int ready = 8200; // more than one record settles
        client.send("q", "held");
        client.send("q", Collections.nCopies(ready, "ready").toArray(String[]::new));
        client.consume("q").credit(1).next();

        broker.files().holdLogWrites(true);
        CompletionStage<Long> purged = client.onLoop(() -> {
            client.session().publish(Messages.durable("q", "comes meanwhile"), 0, PublishListener.NONE);
            CompletionStage<Long> answer = client.session().purgeQueue("q");
            client.session().flush();
            return answer;
        });
        statusOfQueue();
        broker.files().holdLogWrites(false);

        assertThat(TestClient.get(purged)).isEqualTo(ready);
        assertThat(client.consume("q").credit(5).texts(1)).containsExactly("comes meanwhile");
    }

    @Test
    @DisplayName("a queue goes on dead-lettering after a purge")
    void afterPurge() {
        client.send("q", "a");
        client.purge("q");
        client.send("q", "b");
        TestConsumer consumer = client.consume("q").credit(1);

        consumer.settle(consumer.next(), REJECTED);

        assertThat(client.consume("dead").credit(1).nextText()).isEqualTo("b");
    }

    /** Asks the shard what needs no disk: what was asked before is on its way. */
    private void statusOfQueue() {
        client.ask(session -> session.status(List.of("q")));
    }

    private void nothingIsDead() {
        client.sync();
        assertThat(client.consume("dead").credit(5).texts()).isEmpty();
        broker.restart();
        client = broker.client();
        assertThat(client.consume("dead").credit(5).texts()).isEmpty();
    }
}
