package io.mainstem.routing.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.ExchangeType;
import io.mainstem.routing.message.Messages;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("issue 12 line 10: a change of bindings ends those remembered routes only that it may concern")
final class RouteCacheTest {
    private final Declared broker = new Declared().queues("q1", "q2", "q3");

    @Test
    void anotherKeyOfTheSameExchangeDoesNot() {
        broker.bind("amq.topic", "q1", "a.*").bind("amq.direct", "q1", "k");
        RouteResult topic = route("amq.topic", "a.b");
        RouteResult direct = route("amq.direct", "k");

        broker.bind("amq.topic", "q2", "b.#").bind("amq.direct", "q2", "other");
        assertThat(route("amq.topic", "a.b")).isSameAs(topic);
        assertThat(route("amq.direct", "k")).isSameAs(direct);

        broker.bind("amq.topic", "q3", "#.b").bind("amq.direct", "q3", "k");
        assertThat(broker.route("amq.topic", "a.b")).containsExactlyInAnyOrder("q1", "q3");
        assertThat(broker.route("amq.direct", "k")).containsExactlyInAnyOrder("q1", "q3");
    }

    @Test
    void anotherExchangeDoesNotUnlessItIsOnTheWay() {
        broker.exchange("f", ExchangeType.FANOUT)
                .exchange("g", ExchangeType.FANOUT)
                .bindExchange("amq.topic", "f", "a.#")
                .bind("f", "q1", "");
        RouteResult before = route("amq.topic", "a.b");

        broker.bind("g", "q2", "");
        assertThat(route("amq.topic", "a.b")).isSameAs(before);

        broker.bind("f", "q2", "");
        assertThat(broker.route("amq.topic", "a.b")).containsExactlyInAnyOrder("q1", "q2");
    }

    @Test
    void manyOthersInBetweenOnlyCostOneLookMore() {
        broker.bind("amq.topic", "q1", "a.*");
        RouteResult before = route("amq.topic", "a.b");
        for (int i = 0; i < 200; i++) {
            broker.bind("amq.topic", "q2", "b." + i);
        }
        assertThat(route("amq.topic", "a.b")).isEqualTo(before);
        broker.bind("amq.topic", "q2", "a.b");
        assertThat(broker.route("amq.topic", "a.b")).containsExactlyInAnyOrder("q1", "q2");
    }

    @Test
    @DisplayName("an alternate exchange that comes, goes, and comes again, is noticed each time")
    void alternatesAreOnTheWay() {
        broker.exchange("x", ExchangeType.DIRECT, Map.of("alternate-exchange", "later"));
        assertThat(broker.route("x", "k")).isEmpty();
        broker.exchange("later", ExchangeType.FANOUT).bind("later", "q1", "");
        assertThat(broker.route("x", "k")).containsExactly("q1");
        broker.apply(broker.topology().deleteExchange("later", false));
        assertThat(broker.route("x", "k")).isEmpty();
        broker.exchange("later", ExchangeType.FANOUT).bind("later", "q2", "");
        assertThat(broker.route("x", "k")).containsExactly("q2");
        broker.bind("x", "q3", "k");
        assertThat(broker.route("x", "k")).containsExactly("q3");
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3})
    @DisplayName("what a pattern may concern is at least what it matches")
    void noMatchIsOverlooked(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 100_000; i++) {
            String pattern = words(random, "a", "b", "", "*", "#");
            String key = words(random, "a", "b", "", "a", "*");
            assertThat(RecentChanges.matches(pattern, key))
                    .as("'%s' against '%s'", pattern, key)
                    .isEqualTo(TopicTrieTest.naive(pattern, key));
        }
    }

    private static String words(Random random, String... of) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(6); i > 0; i--) {
            text.append(text.length() == 0 ? "" : ".").append(of[random.nextInt(of.length)]);
        }
        return text.toString();
    }

    private RouteResult route(String exchange, String key) {
        return broker.snapshot().route(exchange, List.of(key), Messages.empty());
    }

    @Test
    @DisplayName("a route that nobody has changed is remembered over a deleted queue elsewhere")
    void deletedQueuesElsewhere() {
        broker.bind("amq.topic", "q1", "a").bind("amq.topic", "q2", "b");
        RouteResult before = route("amq.topic", "a");
        broker.apply(broker.topology().deleteQueue("q2"));
        assertThat(route("amq.topic", "a")).isSameAs(before);
        broker.apply(broker.topology().deleteQueue("q1"));
        assertThat(broker.route("amq.topic", "a")).isEqualTo(Set.of());
    }
}
