package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.ExchangeSpec;
import io.mainstem.routing.ExchangeType;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.access.AccessPolicy;
import io.mainstem.routing.access.AccessRule;
import io.mainstem.routing.message.Message;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** [J-7], ADR 0072: what is sent to a temporary node reaches its owner and nobody else. */
final class TemporaryNodesTest {
    private static final String TOPICS = "amq.topic";

    private final TestBroker broker = new TestBroker();
    private TestClient alice;
    private TestClient eve;

    @BeforeEach
    void connect() {
        permit("allow all");
        alice = broker.client("alice");
        eve = broker.client("eve");
    }

    @AfterEach
    void close() {
        broker.close();
    }

    private void permit(String... rulesOfEve) {
        broker.access(AccessPolicy.of(Map.of(
                "alice", List.of(AccessRule.parse("allow all")),
                "eve", List.of(rulesOfEve).stream().map(AccessRule::parse).toList())));
    }

    private static String topic(TestClient of, @Nullable String wanted) {
        return of.onLoop(() -> of.session().temporaryNodes().makeTopic(UUID.randomUUID(), wanted));
    }

    private static String queue(TestClient of, @Nullable String wanted) {
        return of.ask(session -> session.temporaryNodes().makeQueue(UUID.randomUUID(), wanted))
                .spec()
                .name();
    }

    private static String subscribe(TestClient by, String key) {
        String name = "amq.sub:" + UUID.randomUUID();
        QueueSpec spec = new QueueSpec(name, false, true, true, true, Map.of());
        by.ask(session -> session.declareSubscription(spec, new BindingSpec(TOPICS, name, true, key, Map.of())));
        return name;
    }

    private static Message reply(String key) {
        return Messages.to(TOPICS, key).text("the answer");
    }

    @Test
    void theOwnerGetsWhatOthersSendToItsTopic() {
        String key = topic(alice, null);
        TestConsumer answers = alice.consume(subscribe(alice, key)).credit(10);
        permit("allow read queue nothing");

        eve.publish(reply(key));

        assertThat(answers.nextText()).isEqualTo("the answer");
    }

    @ParameterizedTest
    @ValueSource(strings = {"#", "amq.#", "amq.*.#", "*.tmp.*.*", "*.*.*.*", "#.#"})
    void noWildcardStandsForATemporaryTopic(String pattern) {
        String key = topic(alice, null);
        TestConsumer listening = eve.consume(subscribe(eve, pattern)).credit(10);

        assertThat(alice.publish(reply(key))).isInstanceOf(PublishResult.Unroutable.class);

        eve.publish(Messages.to(TOPICS, "amq.xxx.yyy.zzz").text("ordinary"));
        eve.sync();
        assertThat(listening.texts()).doesNotContain("the answer");
    }

    @Test
    void aPatternThatBeginsLikeATemporaryTopicIsRefused() {
        topic(alice, null);

        assertThat(TestClient.refusal(() -> subscribe(eve, "amq.tmp.#"))).isEqualTo(ErrorKind.NOT_FOUND);
        assertThat(TestClient.refusal(() -> subscribe(eve, "amq.tmp.*"))).isEqualTo(ErrorKind.NOT_FOUND);
    }

    @Test
    void onlyTheOwnerListensAndBinds() {
        String key = topic(alice, null);
        eve.declare("spy");
        eve.ask(session ->
                session.declareExchange(new ExchangeSpec("spies", ExchangeType.FANOUT, true, false, false, Map.of())));
        BindingSpec onward = new BindingSpec(TOPICS, "spies", false, key, Map.of());

        assertThat(TestClient.refusal(() -> subscribe(eve, key))).isEqualTo(ErrorKind.LOCKED);
        assertThat(TestClient.refusal(() -> eve.bind(TOPICS, "spy", key))).isEqualTo(ErrorKind.LOCKED);
        assertThat(TestClient.refusal(() -> eve.ask(session -> session.bind(onward))))
                .isEqualTo(ErrorKind.LOCKED);
        assertThatThrownBy(() -> eve.session().requireRead(TOPICS, key)).hasMessageContaining("MS-0321");
        // Nor another connection of the same user.
        assertThat(TestClient.refusal(() -> subscribe(broker.client("alice"), key)))
                .isEqualTo(ErrorKind.LOCKED);
    }

    @Test
    @DisplayName("a subscription that everybody may join is none to the temporary topic of somebody else")
    void sharedSubscription() {
        String key = topic(alice, null);
        QueueSpec shared = new QueueSpec("amq.sub:v::answers", false, true, false, true, Map.of());
        alice.ask(session ->
                session.declareSubscription(shared, new BindingSpec(TOPICS, shared.name(), true, key, Map.of())));

        assertThat(TestClient.refusal(() -> eve.consume(shared.name()))).isEqualTo(ErrorKind.LOCKED);
        assertThat(TestClient.refusal(() -> eve.purge(shared.name()))).isEqualTo(ErrorKind.LOCKED);
        alice.consume(shared.name());
    }

    @Test
    void whatIsBoundToATemporaryQueueIsItsOwnersToSay() {
        String name = queue(alice, null);
        alice.bind(TOPICS, name, "answers");
        BindingSpec binding = new BindingSpec(TOPICS, name, true, "answers", Map.of());

        assertThat(TestClient.refusal(() -> eve.bind(TOPICS, name, "noise"))).isEqualTo(ErrorKind.LOCKED);
        assertThat(TestClient.refusal(() -> eve.ask(session -> session.unbind(binding))))
                .isEqualTo(ErrorKind.LOCKED);
        assertThat(TestClient.refusal(() -> eve.consume(name))).isEqualTo(ErrorKind.LOCKED);
        alice.ask(session -> session.unbind(binding));
        assertThat(alice.session().bindingsOf(name)).isEmpty();
    }

    @Test
    void aTemporaryTopicRetainsNothing() {
        String key = topic(alice, null);
        Message retained = RetainedMessagesTest.message(key, 0);

        eve.publish(retained);
        alice.publish(retained);

        assertThat(alice.session().retained().count()).isZero();
        assertThat(TestClient.refusal(() -> eve.publish(RetainedMessagesTest.message("amq.tmp.any", 0))))
                .isEqualTo(ErrorKind.NOT_FOUND);
    }

    @Test
    void whatIsSentToANodeThatIsGoneIsRefused() {
        String key = topic(alice, null);
        String name = queue(alice, null);
        alice.onLoop(() -> {
            alice.session().temporaryNodes().deleteTopic(key);
            var unused = alice.session().temporaryNodes().deleteQueue(name);
            return true;
        });

        assertThat(TestClient.refusal(() -> eve.publish(reply(key)))).isEqualTo(ErrorKind.NOT_FOUND);
        assertThat(TestClient.refusal(() -> eve.publish(Messages.durable(name, "the answer"))))
                .isEqualTo(ErrorKind.NOT_FOUND);
    }

    @Test
    void theSameUserMakesALostNodeAgainAndNobodyElseDoes() {
        String key = topic(alice, null);
        String name = queue(alice, null);
        assertThatThrownBy(() -> topic(broker.client("alice"), key))
                .isInstanceOf(BrokerException.class)
                .hasMessageContaining("MS-0321");
        alice.close();

        assertThat(topic(eve, key)).isNotEqualTo(key);
        assertThat(queue(eve, name)).isNotEqualTo(name);

        TestClient again = broker.client("alice");
        assertThat(topic(again, key)).isEqualTo(key);
        assertThat(queue(again, name)).isEqualTo(name);
    }

    @Test
    void aNameOfAnotherFormIsNotGranted() {
        assertThat(topic(alice, "news")).startsWith("amq.tmp.");
        assertThat(topic(alice, "amq.tmp.#")).doesNotContain("#");
        assertThat(queue(alice, "orders")).startsWith("amq.tmp:");
    }
}
