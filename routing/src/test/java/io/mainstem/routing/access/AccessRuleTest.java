package io.mainstem.routing.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.routing.topology.TopicNames;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a line of permissions says. */
final class AccessRuleTest {
    private static boolean decides(String rule, Action action, ObjectKind kind, String object) {
        AccessRule.Applied applied = AccessRule.parse(rule).apply("alice", "client-1");
        return applied != null && applied.decides(action, kind, object, false);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "allow read queue orders.* | orders.eu | true",
                "allow read queue orders.* | orders | false",
                "allow read queue *.*.x | a.b.c.x | true",
                "allow read queue * | '' | true",
                "allow read queue | anything | true",
                "allow all | anything | true",
                "allow all queue | anything | true",
                "allow write queue * | orders | false",
                "allow configure,read queue orders | orders | true",
                "allow read exchange * | orders | false",
                "allow read queue in-%u | in-alice | true",
                "allow read queue in-%u | in-bob | false",
                "allow read queue %c | client-1 | true",
            })
    void rulesAboutQueues(String rule, String queue, boolean decides) {
        assertThat(decides(rule, Action.READ, ObjectKind.QUEUE, queue)).isEqualTo(decides);
    }

    @ParameterizedTest
    @DisplayName("[A-5]: a topic rule holds in both spellings; an allowing one must cover all that a filter asks for")
    @CsvSource({
        "allow read topic a.#, a.b.c, true",
        "allow read topic a.#, a, true",
        "allow read topic a.#, a.#, true",
        "allow read topic a.#, #, false",
        "allow read topic a.*, a.*, true",
        "allow read topic a.*, a.#, false",
        "allow read topic a.*, a.b.c, false",
        "allow read topic #, *.b.#, true",
        "allow read topic #.b, a.b, true",
        "allow read topic #.b, *.b, true",
        "allow read topic #.b, *.*, false",
        "allow read topic, x.y, true",
        "allow read mqtt-topic #, $app.x, true",
        "allow read mqtt-topic #, $SYS.broker.version, false",
        "allow read topic, $SYS.broker.version, false",
        "allow read topic *.broker.version, $SYS.#, false",
        "allow read mqtt-topic $SYS/broker/#, $SYS.broker.version, true",
        "allow read, $SYS.broker.version, true",
        "deny read topic #, $SYS.broker.version, true",
        "allow read mqtt-topic a/+/c, a.b.c, true",
        "allow read mqtt-topic a/#, a.b.c, true",
        "allow read mqtt-topic a.b/c, a/b.c, true",
        "allow read mqtt-topic dev/%u/#, dev.alice.x, true",
        "allow read mqtt-topic dev/%u/#, dev.bob.x, false",
        "allow read mqtt-topic dev/%c/#, dev.client-1.x, true",
        "deny read topic secret.#, #, true",
        "deny read topic secret.#, *.x, true",
        "deny read topic secret.#, open.#, false",
        "deny read topic secret, secret.*, false",
    })
    void rulesAboutTopics(String rule, String filter, boolean decides) {
        assertThat(decides(rule, Action.READ, ObjectKind.TOPIC, filter)).isEqualTo(decides);
    }

    @ParameterizedTest
    @CsvSource({
        "allow write queue orders.#, queue orders.*",
        "allow write queue #, queue *",
        "deny read exchange a/+/b, exchange a/*/b",
    })
    @DisplayName("a wildcard of topics in the name of a queue is doubted, and what was meant is shown")
    void doubts(String rule, String meant) {
        assertThat(AccessRule.parse(rule).doubt()).contains(rule, "meant: '" + meant + "'?");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "allow write queue orders.*",
                "allow read topic a.#",
                "allow all",
                "allow read queue c#",
                "allow read queue a+b.x"
            })
    void nothingElseIsDoubted(String rule) {
        assertThat(AccessRule.parse(rule).doubt()).isNull();
    }

    @Test
    @DisplayName("a name with wildcards or separators in it opens nothing where %u or %c stands")
    void placeHoldersCannotBeAbused() {
        assertThat(AccessRule.parse("allow read mqtt-topic dev/%c/#").apply("alice", "+"))
                .isNull();
        assertThat(AccessRule.parse("allow read mqtt-topic dev/%c/#").apply("alice", "a/b"))
                .isNull();
        assertThat(AccessRule.parse("allow read mqtt-topic dev/%c/#").apply("alice", ""))
                .isNull();
        assertThat(AccessRule.parse("allow read topic %u.#").apply("#", "c")).isNull();
        assertThat(AccessRule.parse("allow read queue %u").apply("*", "c")).isNull();
        assertThat(AccessRule.parse("allow read mqtt-topic dev/%u/x")
                        .apply("a.b", "c")
                        .decides(Action.READ, ObjectKind.TOPIC, TopicNames.swap("dev/a.b/x"), false))
                .isTrue();
    }

    @Test
    void theTimeForAFilterIsBounded() {
        String many = "#.*.".repeat(60) + "x";
        assertThat(decides("allow read topic " + many, Action.READ, ObjectKind.TOPIC, "a.".repeat(120) + "y"))
                .isFalse();
        assertThat(decides("deny read topic " + many, Action.READ, ObjectKind.TOPIC, many))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "allow",
                "permit all",
                "allow fly",
                "allow read,fly queue x",
                "allow read table x",
                "read queue x"
            })
    void whatIsNoRuleIsRefused(String text) {
        assertThatThrownBy(() -> AccessRule.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected:");
    }
}
