package io.mainstem.routing.selector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("LIKE: what it matches, and what it costs on the thread of all queues")
final class LikePatternTest {
    private static final int TEXT = 50_000;

    /** By definition, for short texts. */
    private static boolean defined(String pattern, int p, String text, int t) {
        if (p == pattern.length()) {
            return t == text.length();
        }
        if (pattern.charAt(p) == '%') {
            return defined(pattern, p + 1, text, t) || (t < text.length() && defined(pattern, p, text, t + 1));
        }
        return t < text.length()
                && (pattern.charAt(p) == '_' || pattern.charAt(p) == text.charAt(t))
                && defined(pattern, p + 1, text, t + 1);
    }

    private static String random(SplittableRandom random, String letters, int length) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(length + 1); i > 0; i--) {
            text.append(letters.charAt(random.nextInt(letters.length())));
        }
        return text.toString();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    @DisplayName("random patterns match as they are defined to")
    void asDefined(long seed) throws LikePattern.Unusable {
        SplittableRandom random = new SplittableRandom(seed);
        int matches = 0;
        for (int i = 0; i < 20_000; i++) {
            String pattern = random(random, "aab%%_", 7);
            String text = random(random, "aab", 9);
            boolean wanted = defined(pattern, 0, text, 0);
            assertThat(LikePattern.of(pattern, -1).matches(text, new Work()))
                    .as("seed=%d '%s' LIKE '%s'", seed, text, pattern)
                    .isEqualTo(wanted);
            matches += wanted ? 1 : 0;
        }
        assertThat(matches).isBetween(2_000, 18_000);
    }

    @Test
    @DisplayName("characters beyond 16 bits count as one, and a half of one is none")
    void codePoints() throws LikePattern.Unusable {
        String face = new String(Character.toChars(0x1f600));
        assertThat(LikePattern.of("a_b", -1).matches("a" + face + "b", new Work()))
                .isTrue();
        assertThat(LikePattern.of("%" + face, -1).matches("ab" + face, new Work()))
                .isTrue();
        assertThat(LikePattern.of("%" + face.charAt(1) + "%", -1).matches(face, new Work()))
                .isFalse();
        assertThat(LikePattern.of("%_" + face + "%", -1).matches(face + face, new Work()))
                .isTrue();
    }

    @Test
    @DisplayName("the work is linear in the text, whatever pattern meets whatever text")
    void linear() throws LikePattern.Unusable {
        SplittableRandom random = new SplittableRandom(14);
        long worst = 0;
        for (int i = 0; i < 400; i++) {
            String part = random(random, i % 2 == 0 ? "a" : "ab_", LikePattern.JOKER_PART_MAX);
            String pattern = "%" + part + "b%" + part.replace("_", "a") + "a".repeat(random.nextInt(4000)) + "b%";
            String text = i % 3 == 0 ? "a".repeat(TEXT) : random(random, i % 3 == 1 ? "aaaaaaaaab" : "ab", 2 * TEXT);
            Work work = new Work();
            Boolean matches;
            try {
                matches = LikePattern.of(pattern, -1).matches(text, work);
            } catch (LikePattern.Unusable longer) {
                continue;
            }
            long allowed = (long) (LikePattern.JOKER_PART_MAX + 2) * text.length() + pattern.length();
            assertThat(work.spent()).as(pattern).isLessThanOrEqualTo(Math.min(allowed, Work.STEPS_MAX));
            assertThat(matches == null).isEqualTo(work.spent() + LikePattern.JOKER_PART_MAX > Work.STEPS_MAX);
            worst = Math.max(worst, work.spent());
        }
        assertThat(worst).isGreaterThan(TEXT);
    }

    @Test
    @DisplayName("[F-1] many parts do not multiply: each looks where the one before ended")
    void manyParts() throws LikePattern.Unusable {
        Work work = new Work();
        assertThat(LikePattern.of("%a".repeat(1000) + "%b%", -1).matches("a".repeat(TEXT), work))
                .isFalse();
        assertThat(work.spent()).isLessThanOrEqualTo(TEXT);
    }

    @Test
    @DisplayName("one part without _ looks at each character once: 4,000 of them against a long row of the same")
    void hostile() {
        Published message = Published.message().with("p", "a".repeat(Work.STEPS_MAX - 5000));
        Selector selector = Selector.compile(Dialect.JMS, "p LIKE '%" + "a".repeat(4000) + "b%'");
        MessageFields fields = message.routed();

        assertThat(selector).isNotNull();
        assertThat(selector.matches(fields)).isFalse();
        assertThat(fields.steps()).isLessThan(3L * Work.STEPS_MAX);
    }

    @ParameterizedTest
    @DisplayName("a selector looks at no more than its share; what it cannot look at is unknown, so is its NOT")
    @ValueSource(
            strings = {
                "p LIKE '%ab%'",
                "NOT p LIKE '%ab%'",
                "p NOT LIKE '%ab%'",
                "p = q",
                "p <> q",
                "NOT p = q",
            })
    void bounded(String text) {
        Published message = Published.message().with("p", "a".repeat(1 << 20)).with("q", "a".repeat(1 << 20));
        Selector selector = Selector.compile(Dialect.JMS, text);

        assertThat(selector).isNotNull();
        assertThat(selector.matches(message.routed())).isFalse();
    }

    @Test
    @DisplayName("all the words that a selector may have do not add up")
    void manyWords() {
        Published message = Published.message().with("p", "a".repeat(100_000));
        Selector selector = Selector.compile(Dialect.JMS, "p LIKE '%ab%'" + " OR p LIKE '%ab%'".repeat(49));
        MessageFields fields = message.routed();

        assertThat(selector).isNotNull();
        assertThat(selector.matches(fields)).isFalse();
        assertThat(fields.steps()).isLessThan(2L * Work.STEPS_MAX);
        assertThat(selector.matches(fields)).as("each has its own share").isFalse();
        assertThat(fields.steps()).isLessThan(4L * Work.STEPS_MAX);
    }

    @Test
    @DisplayName("a part between two % that has a _ is short")
    void jokers() {
        String longest = "_".repeat(LikePattern.JOKER_PART_MAX);
        assertThat(Selector.compile(Dialect.JMS, "p LIKE '%" + longest + "%'")).isNotNull();
        assertThat(Selector.compile(Dialect.JMS, "p LIKE '" + longest + "__%__" + longest + "'"))
                .isNotNull();
        assertThatThrownBy(() -> Selector.compile(Dialect.JMS, "p LIKE '%" + longest + "_%'"))
                .isInstanceOf(SelectorException.class)
                .hasMessageContaining("at most 32 characters between two %");
    }
}
