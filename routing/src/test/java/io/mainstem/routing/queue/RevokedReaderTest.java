package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.ExchangeSpec;
import io.mainstem.routing.ExchangeType;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.QueueStatus;
import io.mainstem.routing.access.AccessPolicy;
import io.mainstem.routing.access.AccessRule;
import io.mainstem.routing.selector.Dialect;
import io.mainstem.routing.selector.Selector;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** ADR 0073: what a user may not read is neither queued for him nor delivered to him. */
final class RevokedReaderTest {
    private static final String SUBSCRIPTION = "amq.sub:d:client:news";

    private final TestBroker broker = new TestBroker();
    private TestClient publisher;

    @BeforeEach
    void connect() {
        permit("allow read topic #");
        publisher = broker.client("publisher");
    }

    @AfterEach
    void close() {
        broker.close();
    }

    private void permit(String... rulesOfAnna) {
        broker.access(AccessPolicy.of(Map.of(
                "anna", List.of(rulesOfAnna).stream().map(AccessRule::parse).toList(),
                "publisher", List.of(AccessRule.parse("allow all")))));
    }

    private static void subscribe(TestClient by, String exchange, String key) {
        QueueSpec spec = new QueueSpec(SUBSCRIPTION, true, false, false, true, Map.of());
        by.ask(session -> session.declareSubscription(
                spec.ownedBy(session.owner()), new BindingSpec(exchange, SUBSCRIPTION, true, key, Map.of())));
    }

    private PublishResult publish(String exchange, String key, boolean durable, String text) {
        Messages to = Messages.to(exchange, key);
        return publisher.publish((durable ? to : to.nonDurable()).text(text));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatIsPublishedAfterTheRevocationIsNotQueued(boolean durable) {
        subscribe(broker.client("anna"), "amq.topic", "news.#");
        permit("allow read topic other.#");

        assertThat(publish("amq.topic", "news.1", durable, "secret")).isInstanceOf(PublishResult.Unroutable.class);

        permit("allow read topic #");
        publish("amq.topic", "news.1", durable, "allowed again");
        assertThat(broker.client("anna").consume(SUBSCRIPTION).credit(10).nextText())
                .isEqualTo("allowed again");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatWasQueuedBeforeTheRevocationIsNotDelivered(boolean durable) {
        TestClient anna = broker.client("anna");
        subscribe(anna, "amq.topic", "news.#");
        publish("amq.topic", "news.secret", durable, "secret");
        publish("amq.topic", "news.open", durable, "open");

        permit("deny read topic news.secret", "allow read topic news.#");
        TestConsumer consumer = anna.consume(SUBSCRIPTION).credit(10);
        assertThat(consumer.nextText()).isEqualTo("open");
        // Only what was delivered and not settled is still there.
        publisher.sync();
        assertThat(publisher.delete(SUBSCRIPTION)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void noSelectorFindsItAndNoBrowserSeesItAndLookingTakesNothingAway(boolean durable) {
        TestClient anna = broker.client("anna");
        subscribe(anna, "amq.topic", "news.#");
        publish("amq.topic", "news.secret", durable, "secret");
        publish("amq.topic", "news.open", durable, "open");
        permit("deny read topic news.secret", "allow read topic #");

        TestConsumer browser = anna.consume(SUBSCRIPTION, spec(true, null)).credit(10);
        // It came second: the other one was passed over.
        assertThat(browser.nextText()).isEqualTo("open");
        browser.close();
        assertThat(unsettled()).isEqualTo(2);

        Selector any = Selector.compile(Dialect.JMS, "1 = 1");
        TestConsumer selecting = anna.consume(SUBSCRIPTION, spec(false, any)).credit(10);
        assertThat(selecting.nextText()).isEqualTo("open");
    }

    private static ConsumerSpec spec(boolean browse, @Nullable Selector selector) {
        return new ConsumerSpec("c", false, browse, false, 0, Outcome.RELEASED, selector);
    }

    private long unsettled() {
        QueueStatus status =
                publisher.ask(session -> session.status(List.of(SUBSCRIPTION))).get(0);
        return status.ready() + status.unacknowledged();
    }

    @Test
    @DisplayName("a deny of one topic leaves wildcards open, for subscriptions of one's own")
    void aHole() {
        permit("deny read mqtt-topic test/x", "allow read mqtt-topic #");
        TestClient anna = broker.client("anna");
        subscribe(anna, "amq.topic", "#");
        TestConsumer consumer = anna.consume(SUBSCRIPTION).credit(10);

        publish("amq.topic", "test.x", true, "closed");
        publish("amq.topic", "test.y", true, "open");

        assertThat(consumer.nextText()).isEqualTo("open");
        assertThat(TestClient.refusal(() -> subscribe(anna, "amq.topic", "test.x")))
                .isEqualTo(ErrorKind.ACCESS_REFUSED);
    }

    @Test
    @DisplayName(
            "what cannot be filtered is refused, and the refusal says why: an ordinary queue, a shared subscription")
    void noHoleForOthers() {
        permit("deny read topic test.x", "allow all queue q", "allow read topic #");
        TestClient anna = broker.client("anna");
        anna.declare("q");
        QueueSpec shared = new QueueSpec("amq.share:g:%23", true, false, false, true, Map.of());

        assertThat(TestClient.refusalText(() -> anna.bind("amq.topic", "q", "#")))
                .contains("MS-0370", "rule 'deny read topic test.x' decides", "closes a part of it");
        assertThat(TestClient.refusal(() -> anna.ask(session -> session.declareSubscription(
                        shared, new BindingSpec("amq.topic", shared.name(), true, "#", Map.of())))))
                .isEqualTo(ErrorKind.ACCESS_REFUSED);
    }

    @Test
    void aSubscriptionToAnotherExchangeAndOneThatIsReachedByADetourAreNoOthers() {
        publisher.ask(session ->
                session.declareExchange(new ExchangeSpec("x", ExchangeType.FANOUT, true, false, false, Map.of())));
        publisher.ask(session -> session.bind(new BindingSpec("x", "amq.topic", false, "", Map.of())));
        TestClient anna = broker.client("anna");
        subscribe(anna, "amq.topic", "news.#");
        publish("x", "news.1", true, "by a detour");
        TestConsumer consumer = anna.consume(SUBSCRIPTION).credit(1);
        assertThat(consumer.nextText()).isEqualTo("by a detour");
        consumer.close();

        permit("allow read topic other.#");
        assertThat(publish("x", "news.2", true, "secret")).isInstanceOf(PublishResult.Unroutable.class);

        permit("allow read exchange x");
        TestClient again = broker.client("anna");
        subscribe(again, "x", "");
        assertThat(publish("x", "any", true, "direct")).isInstanceOf(PublishResult.Stored.class);
        permit("deny all");
        assertThat(publish("x", "any", true, "secret")).isInstanceOf(PublishResult.Unroutable.class);
    }

    @Test
    void subscriptionsOfWhoHasNoNameAreThoseOfAnonymous() {
        broker.access(AccessPolicy.of(Map.of(
                "anonymous", List.of(AccessRule.parse("allow read topic #")),
                "publisher", List.of(AccessRule.parse("allow all")))));
        subscribe(broker.client(), "amq.topic", "news.#");
        permit("allow all");

        assertThat(publish("amq.topic", "news.1", true, "secret")).isInstanceOf(PublishResult.Unroutable.class);
    }

    @Test
    void rulesAboutTheClientIdHoldForItsSubscription() {
        permit("allow read topic dev.%c.#");
        subscribe(broker.client("anna"), "amq.topic", "dev.client.#");
        assertThat(publish("amq.topic", "dev.client.1", true, "own")).isInstanceOf(PublishResult.Stored.class);

        permit("allow read topic other.%c.#");
        assertThat(publish("amq.topic", "dev.client.1", true, "secret")).isInstanceOf(PublishResult.Unroutable.class);
    }
}
