package io.mainstem.routing.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("[A-5], [A-7] MQTT topics and routing keys")
final class TopicNamesTest {
    @ParameterizedTest(name = "MQTT ''{0}'' is key ''{1}''")
    @CsvSource({
        "a/b, a.b",
        "site.1/temp, site/1.temp",
        "/a//b/, .a..b.",
        "x/*/y, x.+.y",
        "a/+/#, a.*.#",
        "$app/x, $app.x",
    })
    @DisplayName("[A-5] examples of mapping 1.4")
    void swapsBothWays(String mqtt, String key) {
        assertThat(TopicNames.swap(mqtt)).isEqualTo(key);
        assertThat(TopicNames.swap(key)).isEqualTo(mqtt);
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4})
    @DisplayName("[A-5] S(S(x)) = x, and MQTT-matches(f, t) if and only if AMQP-matches(S(f), S(t))")
    void swapKeepsMatching(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 8_000; i++) {
            String filter = levels(random, true);
            String topic = levels(random, false);

            assertThat(TopicNames.swap(TopicNames.swap(filter))).isEqualTo(filter);
            assertThat(TopicTrieTest.naive(TopicNames.swap(filter), TopicNames.swap(topic)))
                    .as("filter '%s', topic '%s'", filter, topic)
                    .isEqualTo(mqttMatches(filter, topic));
        }
    }

    @Test
    @DisplayName("[A-7] keys without a legal MQTT topic name")
    void unmappableKeys() {
        assertThat(List.of("", "a.*", "#", "a#b", "a\0b", "x".repeat(65536), "\u20AC".repeat(21846)))
                .noneMatch(TopicNames::mappable);
        assertThat(List.of("a", ".", "a.+", "$x", "x".repeat(65535), "\u20AC".repeat(21845)))
                .allMatch(TopicNames::mappable);
    }

    private static String levels(Random random, boolean filter) {
        String[] vocabulary = {"a", "b", "", "a.b", "*", "\u20AC"};
        String[] levels = new String[1 + random.nextInt(4)];
        Arrays.setAll(levels, i -> filter && random.nextInt(4) == 0 ? "+" : vocabulary[random.nextInt(6)]);
        String text = String.join("/", levels);
        if (filter && random.nextInt(4) == 0) {
            return text + "/#";
        }
        return text.isEmpty() ? "/" : text;
    }

    /** MQTT 5, 4.7.1, apart from the rule on '$'. */
    private static boolean mqttMatches(String filter, String topic) {
        String[] filters = filter.split("/", -1);
        String[] levels = topic.split("/", -1);
        for (int i = 0; i < filters.length; i++) {
            if (filters[i].equals("#")) {
                return i <= levels.length;
            }
            if (i >= levels.length || !(filters[i].equals("+") || filters[i].equals(levels[i]))) {
                return false;
            }
        }
        return filters.length == levels.length;
    }
}
