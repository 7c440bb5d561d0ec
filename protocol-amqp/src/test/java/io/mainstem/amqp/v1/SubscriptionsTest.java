package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Names of subscription queues: a stored contract [mapping 2.1]. */
final class SubscriptionsTest {
    @Test
    @DisplayName("E(x): all but [A-Za-z0-9_~-] is percent-encoded, byte by byte")
    void encoding() {
        assertThat(Subscriptions.encode("aZ09_~-")).isEqualTo("aZ09_~-");
        assertThat(Subscriptions.encode("a.b:c/ü%")).isEqualTo("a%2Eb%3Ac%2F%C3%BC%25");
    }

    @Test
    @DisplayName("4.5: the subscription is the link name up to the first bar")
    void linkNames() {
        Subscriptions names = new Subscriptions(null, "client", () -> {});
        assertThat(names.durableName("sub")).isEqualTo("amq.sub:d:client:sub");
        assertThat(names.durableName("sub|2")).isEqualTo("amq.sub:d:client:sub");
    }

    @Test
    void namesNeverCollide() {
        Set<String> seen = new HashSet<>();
        String[] parts = {"", "a", "a:b", ":", "b", "a%3Ab", "%3A", "~", "~x", "a".repeat(300), "a".repeat(301)};
        for (String client : parts) {
            for (String subscription : parts) {
                String name = new Subscriptions(null, client, () -> {}).durableName(subscription);
                assertThat(name.getBytes(StandardCharsets.UTF_8).length).isLessThanOrEqualTo(255);
                assertThat(seen.add(name)).as(client + " and " + subscription).isTrue();
            }
        }
    }
}
