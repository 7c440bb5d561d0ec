package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Names of subscription queues: a stored contract [mapping 2.1]. */
final class SubscriptionNameTest {
    @Test
    @DisplayName("E(x): all but [A-Za-z0-9_~-] is percent-encoded, byte by byte")
    void encoding() {
        assertThat(SubscriptionName.encode("aZ09_~-")).isEqualTo("aZ09_~-");
        assertThat(SubscriptionName.encode("a.b:c/ü%")).isEqualTo("a%2Eb%3Ac%2F%C3%BC%25");
    }

    @Test
    @DisplayName("4.5: the subscription is the link name up to the first bar")
    void linkNames() {
        assertThat(queue("sub", false)).isEqualTo("amq.sub:d:client:sub");
        assertThat(queue("sub|2", false)).isEqualTo("amq.sub:d:client:sub");
        assertThat(queue("sub|global", true)).isEqualTo("amq.sub:d::sub");
        assertThat(queue("sub|global2", true)).isEqualTo("amq.sub:d::sub");
        assertThat(SubscriptionName.of("sub|volatile1", "client", false).volatileQueue())
                .isEqualTo("amq.sub:v:client:sub");
        assertThat(SubscriptionName.of("sub|global-volatile1", "client", true).volatileQueue())
                .isEqualTo("amq.sub:v::sub");
    }

    private static String queue(String linkName, boolean global) {
        return SubscriptionName.of(linkName, "client", global).durableQueue();
    }

    @Test
    @DisplayName("2.1: a name that is too long is shortened by SHA-256 and told by attributes")
    void longNames() {
        SubscriptionName name = new SubscriptionName("client", "s".repeat(300));

        assertThat(name.durableQueue()).matches("amq\\.sub:d:~[A-Za-z0-9_-]{43}");
        assertThat(name.attributes())
                .containsEntry("x-subscription-client", "client")
                .containsEntry("x-subscription-name", "s".repeat(300));
        assertThat(new SubscriptionName("client", "short").attributes()).isEmpty();
    }

    @Test
    void namesNeverCollide() {
        Set<String> seen = new HashSet<>();
        String[] parts = {"", "a", "a:b", ":", "b", "a%3Ab", "%3A", "~", "~x", "a".repeat(300), "a".repeat(301)};
        for (String client : parts) {
            for (String subscription : parts) {
                String name = new SubscriptionName(client, subscription).durableQueue();
                assertThat(name.getBytes(StandardCharsets.UTF_8).length).isLessThanOrEqualTo(255);
                assertThat(seen.add(name)).as(client + " and " + subscription).isTrue();
            }
        }
    }
}
