package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.QueueInfo;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.topology.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How queues come and go. */
final class QueueLifeTest {
    private final TestBroker broker = new TestBroker();
    private final TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    @Test
    @DisplayName("a queue with very many bindings can be deleted, and an exchange, and declared again behind it")
    void veryManyBindings() {
        client.declare("q");
        int bindings = 2 * Topology.BINDINGS_AT_A_TIME + 10;
        List<CompletionStage<Long>> bound = new ArrayList<>();
        for (int i = 0; i < bindings; i++) {
            BindingSpec binding = new BindingSpec("amq.direct", "q", true, "k" + i, Map.of());
            bound.add(client.asked(session -> session.bind(binding)));
        }
        bound.forEach(TestClient::get);
        client.publish(Messages.durable("q", "a"));

        assertThat(client.delete("q")).isEqualTo(1);
        broker.crash();
        TestClient later = broker.client();
        assertThat(later.declare("q").created()).isTrue();
        assertThat(later.onLoop(() -> later.session().bindingsOf("q"))).isEmpty();
    }

    private static QueueSpec spec(String name, boolean durable, boolean autoDelete, boolean exclusive) {
        return new QueueSpec(name, durable, autoDelete, exclusive, false, Map.of());
    }

    @Test
    void declaringAgainFindsTheSameQueue() {
        QueueInfo made = client.declare("q");
        QueueInfo found = client.declare("q");

        assertThat(made.created()).isTrue();
        assertThat(found.created()).isFalse();
        assertThat(found.queueId()).isEqualTo(made.queueId());
        assertThat(client.onLoop(() -> client.session().queue("q").queueId())).isEqualTo(made.queueId());
    }

    @Test
    void declaringWithOtherPropertiesIsRefused() {
        client.declare("q");

        assertThat(TestClient.refusal(() -> client.declare("q", Map.of("x-max-priority", 3L))))
                .isEqualTo(ErrorKind.PRECONDITION_FAILED);
    }

    @Test
    void aBadArgumentIsNamed() {
        assertThat(TestClient.refusal(() -> client.declare("q", Map.of("x-delivery-limit", "many"))))
                .isEqualTo(ErrorKind.INVALID_ARGUMENT);
        assertThat(TestClient.refusal(() -> client.declare("q", Map.of("x-dead-letter-routing-key", "k"))))
                .isEqualTo(ErrorKind.INVALID_ARGUMENT);
    }

    @Test
    void aWayToOverflowThatIsNoneIsRefusedAndNotIgnored() {
        assertThat(TestClient.refusal(() -> client.declare("q", Map.of("x-max-length", 5L, "x-overflow", "explode"))))
                .isEqualTo(ErrorKind.INVALID_ARGUMENT);
    }

    @Test
    void aDeclarationThatFitsNoRecordIsRefusedAndLeavesNothingBehind() {
        Map<String, Object> huge = Map.of("x-comment", "x".repeat(2 << 20));

        assertThat(TestClient.refusal(() -> client.declare("q", huge))).isEqualTo(ErrorKind.INVALID_ARGUMENT);
        assertThat(client.declare("q").created()).isTrue();
    }

    @Test
    void declarationsOfOneNameInOneBatchMakeOneQueue() {
        List<CompletionStage<QueueInfo>> stages = new ArrayList<>();
        client.onLoop(() -> {
            BrokerSession session = client.session();
            for (int times = 0; times < 5; times++) {
                stages.add(session.declareQueue(QueueSpec.durable("q")));
            }
            session.flush();
            return true;
        });

        List<QueueInfo> infos = stages.stream().map(TestClient::get).toList();
        assertThat(infos).extracting(QueueInfo::created).containsExactly(true, false, false, false, false);
        assertThat(infos)
                .extracting(QueueInfo::queueId)
                .containsOnly(infos.get(0).queueId());
    }

    @Test
    void deleteAndDeclareInOneBatchMakeANewEmptyQueue() {
        QueueInfo old = client.declare("q");
        client.send("q", "a");
        List<CompletionStage<QueueInfo>> stages = new ArrayList<>();

        client.onLoop(() -> {
            client.session().deleteQueue("q", false, false);
            stages.add(client.session().declareQueue(QueueSpec.durable("q")));
            client.session().flush();
            return true;
        });

        assertThat(TestClient.get(stages.get(0)).queueId()).isGreaterThan(old.queueId());
        client.send("q", "b");
        assertThat(client.consume("q").credit(5).texts(1)).containsExactly("b");
    }

    @Test
    void deletingAQueueCancelsItsConsumersAndDropsItsMessages() {
        client.declare("q");
        client.send("q", "a", "b");
        TestConsumer consumer = client.consume("q").credit(1);
        consumer.next();

        assertThat(client.delete("q")).isEqualTo(2);

        assertThat(consumer.awaitCancelled()).isEqualTo(ErrorKind.DELETED);
        consumer.settle(0, 0, Outcome.FAILED).close();
        assertThat(client.publish(Messages.durable("q", "c"))).isInstanceOf(PublishResult.Unroutable.class);
        client.declare("q");
        assertThat(client.consume("q").credit(5).texts()).isEmpty();
    }

    @Test
    void deletingIsRefusedIfTheQueueIsWantedUnusedOrEmptyAndIsNot() {
        client.declare("q");
        client.send("q", "a");
        TestConsumer consumer = client.consume("q");

        assertThat(TestClient.refusal(() -> client.ask(session -> session.deleteQueue("q", true, false))))
                .isEqualTo(ErrorKind.PRECONDITION_FAILED);
        assertThat(TestClient.refusal(() -> client.ask(session -> session.deleteQueue("q", false, true))))
                .isEqualTo(ErrorKind.PRECONDITION_FAILED);
        consumer.credit(1).settle(consumer.next(), Outcome.ACCEPTED).close();
        client.sync();
        long dropped = client.ask(session -> session.deleteQueue("q", true, true));
        assertThat(dropped).isZero();
    }

    @Test
    void deletingWhatIsNotThereIsNotFound() {
        assertThat(TestClient.refusal(() -> client.delete("q"))).isEqualTo(ErrorKind.NOT_FOUND);
        assertThat(TestClient.refusal(() -> client.purge("q"))).isEqualTo(ErrorKind.NOT_FOUND);
        assertThat(TestClient.refusal(() -> client.consume("q"))).isEqualTo(ErrorKind.NOT_FOUND);
    }

    @Test
    void purgeDropsWhatIsReadyAndLeavesWhatIsInFlight() {
        client.declare("q");
        for (int number = 0; number < 300; number++) {
            client.send("q", "m" + number);
        }
        TestConsumer consumer = client.consume("q").credit(2);
        consumer.nextTexts(2);
        client.publish(Messages.nonDurable("q", "in memory"));

        assertThat(client.purge("q")).isEqualTo(299);

        consumer.settle(0, 1, Outcome.RELEASED).credit(10);
        assertThat(consumer.texts(2)).containsExactlyInAnyOrder("m0", "m1");
    }

    @Test
    void purgeOfAQueueNobodyConsumesDropsEverything() {
        client.declare("q");
        client.send("q", "a", "b");

        assertThat(client.purge("q")).isEqualTo(2);

        client.send("q", "c");
        assertThat(client.consume("q").credit(5).texts(1)).containsExactly("c");
    }

    @Test
    void anExclusiveQueueBelongsToItsSessionAndGoesWithIt() {
        TestClient owner = broker.client();
        owner.declare(spec("mine", false, false, true));

        assertThat(TestClient.refusal(() -> client.consume("mine"))).isEqualTo(ErrorKind.LOCKED);
        assertThat(TestClient.refusal(() -> client.declare(spec("mine", false, false, true))))
                .isEqualTo(ErrorKind.LOCKED);
        assertThat(TestClient.refusal(() -> client.delete("mine"))).isEqualTo(ErrorKind.LOCKED);
        owner.consume("mine");
        owner.close();
        client.sync();
        assertThat(client.onLoop(() -> client.session().queue("mine") == null)).isTrue();
    }

    @Test
    void anAutoDeleteQueueGoesWithItsLastConsumer() {
        client.declare(spec("q", true, true, false));
        TestConsumer first = client.consume("q");
        TestConsumer second = client.consume("q");

        first.close();
        client.sync();
        assertThat(client.onLoop(() -> client.session().queue("q") != null)).isTrue();
        second.close();
        client.sync();
        assertThat(client.onLoop(() -> client.session().queue("q") == null)).isTrue();
    }

    @Test
    @DisplayName("names that begin with amq. are the broker's own, for subscriptions and temporary nodes")
    void reservedNamesAreForTheBroker() {
        assertThat(TestClient.refusal(() -> client.declare("amq.x"))).isEqualTo(ErrorKind.ACCESS_REFUSED);
        client.declare(new QueueSpec("amq.x", true, false, false, true, Map.of()));
    }

    @Test
    void durableTopologyIsThereAfterACrashAndTheRestIsNot() {
        client.declare("kept");
        client.declare(spec("gone", false, false, false));
        client.declare(spec("exclusive", true, false, true));
        client.bind("amq.topic", "kept", "a.#");
        client.bind("amq.topic", "gone", "a.#");

        broker.crash();

        TestClient later = broker.client();
        later.sync();
        assertThat(later.publish(Messages.to("amq.topic", "a.b").text("m"))).isEqualTo(new PublishResult.Stored(1));
        assertThat(later.onLoop(() -> later.session().queue("gone"))).isNull();
        assertThat(later.onLoop(() -> later.session().queue("exclusive"))).isNull();
        assertThat(later.onLoop(() -> later.session().bindingsOf("kept")))
                .containsExactly(new BindingSpec("amq.topic", "kept", true, "a.#", Map.of()));
    }

    @Test
    void aQueueIdIsNeverUsedAgain() {
        int first = client.declare("q").queueId();
        client.delete("q");
        broker.crash();

        assertThat(broker.client().declare("q").queueId()).isGreaterThan(first);
    }

    @ParameterizedTest
    @ValueSource(ints = {30_000, 50_000})
    @DisplayName("an unused queue with more bindings than a record or a group tells goes; the broker lives")
    void unusedWithManyBindings(int bindings) {
        client.declare("q", Map.of("x-expires", 1000L));
        client.ask(session -> {
            List<CompletableFuture<?>> all = new ArrayList<>();
            for (int number = 0; number < bindings; number++) {
                all.add(session.bind(new BindingSpec("amq.direct", "q", true, "k" + number, Map.of()))
                        .toCompletableFuture());
            }
            return CompletableFuture.allOf(all.toArray(new CompletableFuture<?>[0]));
        });

        broker.advanceMs(1000);
        TestBroker.await(() -> {
            client.sync();
            return client.onLoop(() -> client.session().bindingsOf("q").isEmpty());
        });
        client.sync();
        broker.crash();

        assertThat(broker.client().session().queue("q")).isNull();
    }
}
