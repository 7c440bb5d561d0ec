package io.mainstem.routing.selector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("What is no selector is refused, with place and expectation")
final class SelectorErrorTest {
    @ParameterizedTest
    @DisplayName("The error says which character does not fit, and what would")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "a = | 3 | a value",
                "a = 'x | 6 | the end (')",
                "a b | 2 | AND, OR or the end",
                "a = 1 = 2 | 6 | AND, OR or the end",
                "(a = 1 | 6 | )",
                "a NOT 1 | 6 | BETWEEN, IN or LIKE",
                "a NOT IS NULL | 6 | BETWEEN, IN or LIKE",
                "a IS 1 | 5 | NULL",
                "a LIKE 1 | 7 | a 'string'",
                "a LIKE b | 7 | a 'string'",
                "a LIKE 'x' ESCAPE 'yz' | 18 | a string of one character",
                "a LIKE 'x!' ESCAPE '!' | 7 | behind the escape character",
                "a IN () | 6 | a 'string'",
                "a IN ('x', 1) | 11 | a 'string'",
                "a BETWEEN 1 | 11 | AND",
                "a BETWEEN 'a' AND 'b' | 10 | a number",
                "'a' < 1 | 0 | a number",
                "a > TRUE | 4 | a number",
                "1 | 0 | a condition",
                "'a' | 0 | a condition",
                "a AND 1 + 1 | 6 | a condition",
                "'a' + 1 = 2 | 0 | a number",
                "1 LIKE '1' | 0 | a string",
                "NULL | 0 | IS NULL",
                "a = NULL | 4 | IS NULL",
                "AND | 0 | a value or a name",
                "a = NOT b | 4 | parentheses",
                "a.b = 1 | 1 | double quotes",
                "a-b = 1 c | 8 | AND, OR or the end",
                "a ; b | 2 | an operator",
                "a != 1 | 2 | an operator",
                "a = 1 % 2 | 6 | an operator",
                "a = 12x | 6 | the end of number",
                "a = 1e | 6 | digits of an exponent",
                "a = 9223372036854775808 | 4 | at most 64 bits",
                "a = 08 | 4 | at most 64 bits",
                "m. = 1 | 3 | a name",
            })
    void placeAndExpectation(String selector, int position, String expected) {
        SelectorException refused =
                catchThrowableOfType(SelectorException.class, () -> Selector.compile(Dialect.JMS, selector));

        assertThat(refused).as(selector).isNotNull();
        assertThat(refused.position()).as(refused.getMessage()).isEqualTo(position);
        assertThat(refused.expected()).contains(expected);
        assertThat(refused).hasMessageContaining("MS-0350").hasMessageContaining("character " + (position + 1));
    }

    @Test
    @DisplayName("[F-1] at most 4096 characters")
    void characters() {
        String longest = "a = '" + "x".repeat(4090) + "'";
        assertThat(Selector.compile(Dialect.JMS, longest)).isNotNull();

        assertThatThrownBy(() -> Selector.compile(Dialect.JMS, longest + " "))
                .isInstanceOf(SelectorException.class)
                .hasMessageContaining("at most 4096");
    }

    @Test
    @DisplayName("[F-1] at most 200 words")
    void words() {
        String longest = "a" + " AND a".repeat(99);
        assertThat(Selector.compile(Dialect.JMS, longest)).isNotNull();

        assertThatThrownBy(() -> Selector.compile(Dialect.JMS, longest + " AND a"))
                .isInstanceOf(SelectorException.class)
                .hasMessageContaining("at most 200 words");
    }

    @Test
    @DisplayName("[F-1] at most 64 levels")
    void levels() {
        assertThat(Selector.compile(Dialect.JMS, "(".repeat(64) + "a" + ")".repeat(64)))
                .isNotNull();
        assertThat(Selector.compile(Dialect.JMS, "NOT ".repeat(64) + "a")).isNotNull();

        assertThatThrownBy(() -> Selector.compile(Dialect.JMS, "(".repeat(65) + "a" + ")".repeat(65)))
                .isInstanceOf(SelectorException.class)
                .hasMessageContaining("64 levels");
        assertThatThrownBy(() -> Selector.compile(Dialect.JMS, "- ".repeat(65) + "a = 1"))
                .isInstanceOf(SelectorException.class)
                .hasMessageContaining("64 levels");
    }

    @Test
    @DisplayName("[F-1] equal texts share one tree")
    void cached() {
        assertThat(Selector.compile(Dialect.JMS, "shared = 1")).isSameAs(Selector.compile(Dialect.JMS, "shared = 1"));
        assertThat(Selector.compile(Dialect.JMS, "shared = 1"))
                .isNotEqualTo(Selector.compile(Dialect.SQL, "shared = 1"));
    }
}
