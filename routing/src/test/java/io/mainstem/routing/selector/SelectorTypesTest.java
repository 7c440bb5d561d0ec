package io.mainstem.routing.selector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("3.8.1.3: every operator against every type of a property, and against NULL")
final class SelectorTypesTest {
    /** Conditions by the type that their literals have; p is never equal to one of these. */
    private static final Map<String, List<String>> CONDITIONS = new LinkedHashMap<>();

    private static final Map<String, Object> VALUES = new LinkedHashMap<>();

    static {
        CONDITIONS.put(
                "number",
                List.of(
                        "p = 1",
                        "p <> 1",
                        "p < 1",
                        "p <= 1",
                        "p > 1",
                        "p >= 1",
                        "p BETWEEN 1 AND 2",
                        "p NOT BETWEEN 1 AND 2",
                        "p + 1 = 1",
                        "p - 1 <> 1",
                        "p * 2 < 1",
                        "p / 2 > 1",
                        "-p = 1",
                        "+p <> 1"));
        CONDITIONS.put(
                "string",
                List.of(
                        "p = 'a'",
                        "p <> 'a'",
                        "p IN ('a', 'b')",
                        "p NOT IN ('a', 'b')",
                        "p LIKE 'a%'",
                        "p NOT LIKE 'a%'",
                        "p NOT LIKE 'a!%' ESCAPE '!'"));
        CONDITIONS.put("boolean", List.of("p = TRUE", "p <> TRUE", "p = FALSE", "p <> FALSE", "p", "NOT p"));
        VALUES.put("boolean", false);
        VALUES.put("byte", (byte) 0);
        VALUES.put("short", (short) 0);
        VALUES.put("int", 0);
        VALUES.put("long", 0L);
        VALUES.put("float", 0f);
        VALUES.put("double", 0.0);
        VALUES.put("string", "0");
        VALUES.put("binary", "a".getBytes(StandardCharsets.UTF_8));
        VALUES.put("uuid", new UUID(0, 0));
    }

    private static String likeTypeOf(String type) {
        return switch (type) {
            case "byte", "short", "int", "long", "float", "double" -> "number";
            default -> type;
        };
    }

    private static boolean matches(Dialect dialect, String selector, @Nullable Object value) {
        Selector compiled = Selector.compile(dialect, selector);
        return compiled != null
                && compiled.matches(Published.message().with("p", value).routed());
    }

    static Stream<Arguments> unlike() {
        List<Arguments> cells = new ArrayList<>();
        for (Dialect dialect : Dialect.values()) {
            CONDITIONS.forEach((like, conditions) -> VALUES.forEach((type, value) -> {
                if (!likeTypeOf(type).equals(like)) {
                    conditions.forEach(condition -> cells.add(Arguments.of(dialect, condition, type)));
                }
            }));
        }
        return cells.stream();
    }

    @ParameterizedTest(name = "{0}: {1}, p = {2}")
    @MethodSource("unlike")
    @DisplayName("a comparison of unlike types is never true, however it is written")
    void unlikeTypes(Dialect dialect, String condition, String type) {
        assertThat(matches(dialect, condition, VALUES.get(type))).isFalse();
    }

    static Stream<Arguments> conditions() {
        return Stream.of(Dialect.values())
                .flatMap(dialect -> CONDITIONS.values().stream()
                        .flatMap(List::stream)
                        .map(condition -> Arguments.of(dialect, condition)));
    }

    @ParameterizedTest(name = "{0}: {1}")
    @MethodSource("conditions")
    @DisplayName("a comparison with NULL is unknown, and so is its NOT")
    void nulls(Dialect dialect, String condition) {
        assertThat(matches(dialect, condition, null)).isFalse();
        assertThat(matches(dialect, "NOT (" + condition + ")", null)).isFalse();
        assertThat(matches(dialect, "absent IS NULL AND (" + condition + ")", null))
                .isFalse();
    }

    static Stream<Arguments> alike() {
        return CONDITIONS.entrySet().stream()
                .flatMap(entry -> VALUES.entrySet().stream()
                        .filter(value -> likeTypeOf(value.getKey()).equals(entry.getKey()))
                        .flatMap(value ->
                                entry.getValue().stream().map(condition -> Arguments.of(condition, value.getKey()))));
    }

    @ParameterizedTest(name = "{0}, p = {1}")
    @MethodSource("alike")
    @DisplayName("a comparison of like types is true or false: either it or its NOT matches")
    void likeTypes(String condition, String type) {
        Object value = VALUES.get(type);
        assertThat(matches(Dialect.JMS, condition, value))
                .isNotEqualTo(matches(Dialect.JMS, "NOT (" + condition + ")", value));
    }

    @ParameterizedTest
    @DisplayName("what no message can make true, nor its opposite, is refused when the selector is made")
    @ValueSource(
            strings = {
                "TRUE = 0",
                "FALSE = 0",
                "0 = TRUE",
                "TRUE <> 0",
                "FALSE <> 0",
                "'x' = 1",
                "1 = 'x'",
                "'x' <> 1",
                "TRUE = 'x'",
                "'x' <> FALSE",
                "p = 1 AND 'x' = 1",
                "p + 1 = 'x'",
                "-p = TRUE",
                "(p = 1) = 1",
                "(p = 1) <> 'x'",
                "(p IS NULL) = 0",
                "(p LIKE 'a') = 'a'",
                "1 BETWEEN 'a' AND 'b'",
                "1 BETWEEN 0 AND 'b'",
                "TRUE > 0",
                "1 IN ('a')",
                "TRUE LIKE 'a'",
                "1 + 'a' = 2",
                "TRUE + 1 = 2",
            })
    void unlikeLiterals(String selector) {
        for (Dialect dialect : Dialect.values()) {
            assertThatThrownBy(() -> Selector.compile(dialect, selector))
                    .as(dialect + " " + selector)
                    .isInstanceOf(SelectorException.class)
                    .hasMessageStartingWith("MS-0350");
        }
    }

    @ParameterizedTest
    @DisplayName("3.8.1.1: reserved words are no identifiers, in any case of letters")
    @ValueSource(
            strings = {
                "NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE", "null", "Escape"
            })
    void reservedWords(String word) {
        for (Dialect dialect : Dialect.values()) {
            for (String selector : List.of(word + " = 0", "0 = " + word, word + " LIKE 'a'", word + " IN ('a')")) {
                assertThatThrownBy(() -> Selector.compile(dialect, selector))
                        .as(dialect + " " + selector)
                        .isInstanceOf(SelectorException.class);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Dialect.class)
    @DisplayName("literals of like type may be compared")
    void likeLiterals(Dialect dialect) {
        for (String selector : List.of("TRUE = TRUE", "TRUE <> FALSE", "'x' = 'x'", "1 = 1.0", "(p = 0) = TRUE")) {
            assertThat(matches(dialect, selector, 0)).as(selector).isTrue();
        }
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"p IN (1, 'a')", "p NOT IN (2, 'a')"})
    @DisplayName("SQL: of a list of several types those count that are like the value")
    void mixedLists(String condition) {
        assertThat(matches(Dialect.SQL, condition, 1)).isTrue();
        assertThat(matches(Dialect.SQL, condition, true)).isFalse();
    }
}
