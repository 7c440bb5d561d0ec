package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.ExchangeSpec;
import io.mainstem.routing.ExchangeType;
import io.mainstem.routing.access.AccessPolicy;
import io.mainstem.routing.access.AccessRule;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
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
}
