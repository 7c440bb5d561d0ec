package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.QueueInfo;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.SubscriptionKind;
import io.mainstem.routing.message.Message;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Queues that are declared together with the one thing they listen to. */
final class SubscriptionRequestTest {
    private static final QueueSpec NEWS = new QueueSpec("amq.sub:d:c:news", true, false, false, true, Map.of());
    private static final ConsumerSpec SHARED = new ConsumerSpec("c", false, false, false, 0, Outcome.FAILED);

    private final TestBroker broker = new TestBroker();
    private TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    private QueueInfo subscribe(String key) {
        return client.ask(session -> session.declareSubscription(NEWS, binding("amq.topic", key)));
    }

    private QueueInfo subscribe(SubscriptionKind kind, String key) {
        return client.ask(session -> session.declareSubscription(kind.recordedIn(NEWS), binding("amq.topic", key)));
    }

    private static BindingSpec binding(String exchange, String key) {
        return new BindingSpec(exchange, NEWS.name(), true, key, Map.of());
    }

    private String keyOfBinding() {
        return client.onLoop(() -> client.session().bindingsOf(NEWS.name()))
                .get(0)
                .key();
    }

    private static Message durable(String key, String text) {
        return Messages.to("amq.topic", key).text(text);
    }

    private long depth() {
        return client.delete(NEWS.name());
    }

    @Test
    @DisplayName("[S-2]: the same subscription is found with what it has collected")
    void resumed() {
        QueueInfo made = subscribe("a");
        client.publish(durable("a", "one"));

        QueueInfo found = subscribe("a");

        assertThat(found.created()).isFalse();
        assertThat(found.queueId()).isEqualTo(made.queueId());
        assertThat(depth()).isEqualTo(1);
    }

    @Test
    @DisplayName("[S-2]: another topic drops the subscription with its messages and makes it anew")
    void madeAnew() {
        QueueInfo made = subscribe("a");
        client.publish(durable("a", "one"));

        QueueInfo anew = subscribe("b");

        assertThat(anew.created()).isTrue();
        assertThat(anew.queueId()).isNotEqualTo(made.queueId());
        assertThat(keyOfBinding()).isEqualTo("b");
        client.publish(durable("a", "nobody listens"));
        assertThat(depth()).isZero();
    }

    @Test
    @DisplayName("[S-2]: with consumers it is locked, and stays as it was")
    void lockedByConsumers() {
        subscribe("a");
        TestConsumer consumer = client.consume(NEWS.name(), SHARED);
        client.publish(durable("a", "one"));

        assertThat(TestClient.refusal(() -> subscribe("b"))).isEqualTo(ErrorKind.LOCKED);

        assertThat(keyOfBinding()).isEqualTo("a");
        assertThat(consumer.credit(1).nextText()).isEqualTo("one");
    }

    @Test
    @DisplayName("[S-2]: a change survives a crash as a whole")
    void changeSurvivesCrash() {
        subscribe("a");
        client.publish(durable("a", "one"));
        subscribe("b");
        client.publish(durable("b", "two"));

        broker.crash();
        client = broker.client();

        assertThat(keyOfBinding()).isEqualTo("b");
        assertThat(subscribe("b").created()).isFalse();
        assertThat(depth()).isEqualTo(1);
    }

    @Test
    @DisplayName("[S-1]: the other kind is refused, with another topic and without consumers, too")
    void otherKindRefused() {
        subscribe(SubscriptionKind.UNSHARED, "a");
        client.publish(durable("a", "one"));

        for (String key : List.of("a", "b")) {
            assertThatThrownBy(() -> subscribe(SubscriptionKind.SHARED, key))
                    .hasStackTraceContaining(
                            "MS-0393 durable subscription '" + NEWS.name() + "': wanted shared, found unshared");
        }

        assertThat(subscribe(SubscriptionKind.UNSHARED, "a").created()).isFalse();
        assertThat(depth()).isEqualTo(1);
    }

    @Test
    @DisplayName("[S-1]: of two kinds asked for at once one is made")
    void twoKindsAtOnce() {
        List<CompletionStage<QueueInfo>> answers = client.onLoop(() -> {
            List<CompletionStage<QueueInfo>> asked = new ArrayList<>();
            for (SubscriptionKind kind : SubscriptionKind.values()) {
                asked.add(client.session().declareSubscription(kind.recordedIn(NEWS), binding("amq.topic", "a")));
            }
            client.session().flush();
            return asked;
        });

        assertThat(answers.get(0)).succeedsWithin(Duration.ofSeconds(60));
        assertThat(answers.get(1)).failsWithin(Duration.ofSeconds(60));
    }

    @Test
    @DisplayName("[S-1]: the kind survives a crash; after the subscription's end the name is free")
    void kindSurvivesCrash() {
        subscribe(SubscriptionKind.SHARED, "a");

        broker.crash();
        client = broker.client();

        assertThat(TestClient.refusal(() -> subscribe(SubscriptionKind.UNSHARED, "a")))
                .isEqualTo(ErrorKind.PRECONDITION_FAILED);
        client.delete(NEWS.name());
        assertThat(subscribe(SubscriptionKind.UNSHARED, "a").created()).isTrue();
    }

    @Test
    @DisplayName(
            "[S-1]: what was subscribed before kinds were recorded gets the kind of the first that comes, and keeps it")
    void oldSubscriptionGetsKind() {
        QueueInfo old = subscribe("a");
        client.publish(durable("a", "one"));

        QueueInfo found = subscribe(SubscriptionKind.SHARED, "a");
        broker.crash();
        client = broker.client();

        assertThat(found.created()).isFalse();
        assertThat(found.queueId()).isEqualTo(old.queueId());
        assertThat(TestClient.refusal(() -> subscribe(SubscriptionKind.UNSHARED, "a")))
                .isEqualTo(ErrorKind.PRECONDITION_FAILED);
        client.publish(durable("a", "two"));
        assertThat(depth()).isEqualTo(2);
    }

    @Test
    void withoutExchangeNothingIsMade() {
        assertThat(TestClient.refusal(() ->
                        client.ask(session -> session.declareSubscription(NEWS, binding("no such exchange", "a")))))
                .isEqualTo(ErrorKind.NOT_FOUND);

        assertThat(client.onLoop(() -> client.session().queue(NEWS.name()) == null))
                .isTrue();
    }

    @Test
    @DisplayName("x-expires: an unused queue goes after its time, counted from its last consumer")
    void unusedQueueExpires() {
        client.declare("q", Map.of("x-expires", 500L));
        TestConsumer consumer = client.consume("q", SHARED);
        broker.advanceMs(2_000);
        client.sync();
        assertThat(exists("q")).isTrue();

        consumer.close();
        client.sync();
        broker.advanceMs(499);
        client.sync();
        assertThat(exists("q")).isTrue();
        broker.advanceMs(1);
        client.sync();

        assertThat(exists("q")).isFalse();
    }

    @Test
    @DisplayName("x-expires: after a restart the time begins anew")
    void unusedQueueExpiresAfterRestart() {
        client.declare("q", Map.of("x-expires", 500L));
        broker.advanceMs(400);
        broker.crash();
        client = broker.client();
        broker.advanceMs(400);
        client.sync();
        assertThat(exists("q")).isTrue();

        broker.advanceMs(100);
        client.sync();

        assertThat(exists("q")).isFalse();
    }

    private boolean exists(String queue) {
        return client.onLoop(() -> client.session().queue(queue) != null);
    }
}
