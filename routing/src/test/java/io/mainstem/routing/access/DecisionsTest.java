package io.mainstem.routing.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.access.Decisions.Question;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is remembered of decisions is bounded in what it takes, however long the names are that peers think up. */
final class DecisionsTest {
    private final Decisions decisions = new Decisions();

    private static Question write(String object) {
        return new Question(Action.WRITE, ObjectKind.TOPIC, object);
    }

    @Test
    void shortNamesAreRemembered() {
        decisions.allow(write("a"));

        assertThat(decisions.isAllowed(write("a"))).isTrue();
        assertThat(decisions.isAllowed(new Question(Action.READ, ObjectKind.TOPIC, "a")))
                .isFalse();
        decisions.clear();
        assertThat(decisions.isAllowed(write("a"))).isFalse();
        assertThat(decisions.characters()).isZero();
    }

    @Test
    void veryLongNamesAreNot() {
        String key = "x".repeat(65_000);
        decisions.allow(write(key));
        decisions.lastPublish("amq.topic", List.of(key));

        assertThat(decisions.isAllowed(write(key))).isFalse();
        assertThat(decisions.isLastPublish("amq.topic", List.of(key))).isFalse();
    }

    @Test
    void manyNamesTakeNoMoreThanIsAllowed() {
        for (int length = 0; length <= 1024; length += 64) {
            for (int i = 0; i < 1_000; i++) {
                decisions.allow(write(i + "x".repeat(length)));
                assertThat(decisions.characters()).isLessThanOrEqualTo(Decisions.CHARACTERS_MAX);
            }
        }
        assertThat(decisions.isAllowed(write("999" + "x".repeat(960)))).isTrue();
    }

    @Test
    void refusalsAreLoggedOnceAndNotWithoutEnd() {
        assertThat(decisions.isNews(write("a"))).isTrue();
        assertThat(decisions.isNews(write("a"))).isFalse();
        for (int i = 0; i < 100; i++) {
            decisions.isNews(write("b" + i));
        }
        assertThat(decisions.isNews(write("c"))).isFalse();
    }
}
