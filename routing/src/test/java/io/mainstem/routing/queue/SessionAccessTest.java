package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.ExchangeSpec;
import io.mainstem.routing.ExchangeType;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.QueueStatus;
import io.mainstem.routing.access.AccessPolicy;
import io.mainstem.routing.access.AccessRule;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Every door of a session asks for permission, and what is refused has no effect. */
final class SessionAccessTest {
    private final TestBroker broker = new TestBroker();

    @AfterEach
    void close() {
        broker.close();
    }

    private void permit(String... rules) {
        broker.access(AccessPolicy.of(Map.of(
                "anonymous", List.of(rules).stream().map(AccessRule::parse).toList())));
    }

    private static void assertRefused(Runnable request) {
        assertThat(TestClient.refusal(request)).isEqualTo(ErrorKind.ACCESS_REFUSED);
    }

    private static List<String> seen(TestClient by) {
        return by.ask(session -> session.status(List.of("q", "other"))).stream()
                .map(status -> status.queue().spec().name())
                .toList();
    }

    @Test
    void howMuchIsInAQueueIsShownToThoseWhoMayUseIt() {
        try (TestClient client = broker.client()) {
            client.declare("q");
            client.declare("other");
            assertThat(seen(client)).containsExactly("q", "other");

            permit();
            assertThat(seen(client)).isEmpty();
            permit("allow write queue q");
            assertThat(seen(client)).containsExactly("q");
            permit("allow configure broker *");
            assertThat(seen(client)).containsExactly("q", "other");
        }
    }

    @Test
    void whoMayDoNothingIsRefusedAtEveryDoor() {
        try (TestClient client = broker.client()) {
            client.declare("q");
            client.send("q", "kept");
            permit();

            assertRefused(() -> client.declare("other"));
            assertRefused(() -> client.delete("q"));
            assertRefused(() -> client.purge("q"));
            assertRefused(() -> client.consume("q"));
            assertRefused(() -> client.publish(Messages.durable("q", "refused")));
            assertRefused(() -> client.bind("amq.topic", "q", "#"));
            assertRefused(() -> client.ask(session ->
                    session.declareExchange(new ExchangeSpec("x", ExchangeType.TOPIC, true, false, false, Map.of()))));
            assertRefused(() -> client.ask(session -> session.deleteExchange("x", false)));

            permit("allow all");
            assertThat(client.consume("q").credit(10).nextTexts(1)).containsExactly("kept");
            assertThat(client.delete("q")).isEqualTo(1);
        }
    }

    @Test
    @DisplayName("ADR 0028: two users with one client id: the subscription is the first one's, also after a restart")
    void twoUsersWithOneClientId() {
        QueueSpec subscription = new QueueSpec("amq.sub:d:client:news", true, false, false, true, Map.of());
        BindingSpec binding = new BindingSpec("amq.topic", subscription.name(), true, "news.#", Map.of());
        broker.access(AccessPolicy.of(Map.of(
                "anna", List.of(AccessRule.parse("allow read,write topic news.#")),
                "bob",
                        List.of(
                                AccessRule.parse("allow read,write topic news.#"),
                                AccessRule.parse("allow read queue *")),
                "root", List.of(AccessRule.parse("allow all")))));
        broker.client("anna")
                .ask(session -> session.declareSubscription(subscription.ownedBy(session.user()), binding));

        broker.restart();

        TestClient bob = broker.client("bob");
        bob.publish(Messages.to("amq.topic", "news.1").text("kept"));
        assertRefused(
                () -> bob.ask(session -> session.declareSubscription(subscription.ownedBy(session.user()), binding)));
        assertRefused(() -> bob.declare(subscription));
        assertRefused(() -> bob.consume(subscription.name()));
        assertRefused(() -> bob.purge(subscription.name()));
        assertRefused(() -> bob.delete(subscription.name()));
        assertRefused(() -> bob.bind("amq.topic", subscription.name(), "news.more"));
        assertRefused(() -> bob.send(subscription.name(), "planted"));
        List<QueueStatus> seen = bob.ask(session -> session.status(List.of(subscription.name())));
        assertThat(seen).isEmpty();

        TestClient anna = broker.client("anna");
        anna.ask(session -> session.declareSubscription(subscription.ownedBy(session.user()), binding));
        assertThat(anna.consume(subscription.name()).credit(5).nextTexts(1)).containsExactly("kept");
        assertThat(broker.client("root").delete(subscription.name())).isEqualTo(1);
    }
}
