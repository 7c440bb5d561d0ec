package io.mainstem.routing.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.BindingSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("[A-1] Topic binding keys")
final class TopicTrieTest {
    @ParameterizedTest(name = "[A-1] ''{0}'' against ''{1}'': {2}")
    @CsvSource({
        "a.b, a.b, true",
        "a.b, a.c, false",
        "a.*, a.b, true",
        "a.*, a, false",
        "a.*, a., true",
        "*.b, .b, true",
        "*, '', false",
        "*, a, true",
        "*.*, a, false",
        "#, '', true",
        "#, a, true",
        "#, a.b.c, true",
        "a.#, a, true",
        "a.#, a.b.c, true",
        "a.#, ab, false",
        "#.b, b, true",
        "#.b, a.b, true",
        "#.b, a.b.c, false",
        "a.#.c, a.c, true",
        "a.#.c, a.b.b.c, true",
        "#.#, '', true",
        "#.b.#, a.b.c, true",
        "#.b.#, a.c, false",
        "a*, ab, false",
        "a#, ab, false",
        "a*, a*, true",
        "'', '', true",
        "'', a, false",
        "a..b, a..b, true",
        "a.*.b, a..b, true",
    })
    void wildcardsAreWholeWords(String pattern, String key, boolean matches) {
        assertThat(matched(TopicTrie.EMPTY.with(binding(pattern)), key))
                .isEqualTo(matches ? Set.of(pattern) : Set.of());
        assertThat(naive(pattern, key)).isEqualTo(matches);
    }

    @Test
    @DisplayName("no wildcard of any protocol stands for the broker's own $SYS; it has to be named")
    void theBrokersOwnTopicsAreNamed() {
        TopicTrie trie = TopicTrie.EMPTY
                .with(binding("#"))
                .with(binding("*.broker.#"))
                .with(binding("$SYS.#"))
                .with(binding("$SYS.*.version"));

        assertThat(matched(trie, "$SYS.broker.version")).containsExactlyInAnyOrder("$SYS.#", "$SYS.*.version");
        assertThat(matched(trie, "$SYSTEM.broker")).containsExactlyInAnyOrder("#", "*.broker.#");
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {11, 12, 13, 14, 15, 16})
    @DisplayName("[A-1] the trie finds what comparing key by key finds, through binds and unbinds")
    void trieAgreesWithComparingOneByOne(long seed) {
        Random random = new Random(seed);
        List<Binding> bound = new ArrayList<>();
        TopicTrie trie = TopicTrie.EMPTY;
        for (int step = 0; step < 600; step++) {
            if (!bound.isEmpty() && random.nextInt(3) == 0) {
                trie = trie.without(bound.remove(random.nextInt(bound.size())));
            } else {
                Binding binding = binding(words(random, "a", "b", "", "$c", "*", "#"));
                if (!bound.contains(binding)) {
                    bound.add(binding);
                }
                trie = trie.with(binding);
            }
            String key = words(random, "a", "b", "", "$c");
            Set<String> expected = new TreeSet<>();
            bound.stream()
                    .map(each -> each.spec().key())
                    .filter(each -> naive(each, key))
                    .forEach(expected::add);
            assertThat(matched(trie, key)).as("key '%s'", key).isEqualTo(expected);
        }
        for (Binding binding : bound) {
            trie = trie.without(binding);
        }
        assertThat(trie).isSameAs(TopicTrie.EMPTY);
    }

    @Test
    @DisplayName("[A-1] two '#' and many '*' cost no more than one pass per word of the binding key")
    void hostileKeysTakeLinearTime() {
        TopicTrie trie = TopicTrie.EMPTY;
        for (int i = 0; i < 20; i++) {
            trie = trie.with(binding("#.a.#." + "*.".repeat(i) + "x"));
        }
        String key = "a.".repeat(32_000) + "a";
        int[] calls = {0};

        trie.match(key, binding -> calls[0]++);

        // Quadratic work would be 10^9 steps for each binding, minutes in all.
        assertThat(calls[0]).isZero();
    }

    private static String words(Random random, String... vocabulary) {
        String[] words = new String[random.nextInt(6)];
        Arrays.setAll(words, i -> vocabulary[random.nextInt(vocabulary.length)]);
        return String.join(".", words);
    }

    static Binding binding(String key) {
        return Binding.of(new BindingSpec("amq.topic", "q", true, key, Map.of()), true);
    }

    private static Set<String> matched(TopicTrie trie, String key) {
        Set<String> matched = new HashSet<>();
        trie.match(key, binding -> matched.add(binding.spec().key()));
        return matched;
    }

    /** [A-1] word by word, without cleverness. */
    static boolean naive(String pattern, String key) {
        return naive(split(pattern), split(key));
    }

    private static List<String> split(String text) {
        return text.isEmpty() ? List.of() : List.of(text.split("\\.", -1));
    }

    private static boolean naive(List<String> pattern, List<String> key) {
        if (pattern.isEmpty()) {
            return key.isEmpty();
        }
        List<String> rest = pattern.subList(1, pattern.size());
        if (pattern.get(0).equals("#")) {
            for (int i = 0; i <= key.size(); i++) {
                if (naive(rest, key.subList(i, key.size()))) {
                    return true;
                }
            }
            return false;
        }
        boolean first =
                !key.isEmpty() && (pattern.get(0).equals("*") || pattern.get(0).equals(key.get(0)));
        return first && naive(rest, key.subList(1, key.size()));
    }
}
