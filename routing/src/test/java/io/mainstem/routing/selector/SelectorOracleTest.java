package io.mainstem.routing.selector;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.selector.filter.BooleanExpression;
import org.apache.activemq.artemis.selector.filter.FilterException;
import org.apache.activemq.artemis.selector.filter.Filterable;
import org.apache.activemq.artemis.selector.impl.SelectorParser;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Random JMS selectors agree with those of ActiveMQ Artemis")
final class SelectorOracleTest {
    private static final int SELECTORS = 3_000;
    private static final int MESSAGES = 6;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void agreeWithArtemis(long seed) throws FilterException {
        SplittableRandom random = new SplittableRandom(seed);
        int matches = 0;
        for (int i = 0; i < SELECTORS; i++) {
            String text = new RandomSelector(random).condition(3);
            Selector ours = Selector.compile(Dialect.JMS, text);
            BooleanExpression theirs = SelectorParser.parse(text);
            assertThat(ours).isNotNull();
            for (int m = 0; m < MESSAGES; m++) {
                Map<String, Object> properties = properties(random);
                Published message = Published.message();
                properties.forEach(message::with);
                boolean match = ours.matches(message.routed());
                assertThat(match)
                        .as("seed=%d selector=%s message=%s", seed, text, properties)
                        .isEqualTo(theirs.matches(new ByName(properties)));
                matches += match ? 1 : 0;
            }
        }
        // Neither all nor nothing, or the test would show little.
        assertThat(matches).isBetween(SELECTORS * MESSAGES / 10, SELECTORS * MESSAGES * 9 / 10);
    }

    /** All names have a value: with NULL, Artemis' logic has two values only ({@code absent <> 1} is true there). */
    private static Map<String, Object> properties(SplittableRandom random) {
        Map<String, Object> properties = new HashMap<>();
        properties.put("i", nonZero(random));
        properties.put("j", nonZero(random));
        properties.put("x", nonZero(random) / 2.0);
        properties.put("s", List.of("", "a", "ab", "b_", "a%b").get(random.nextInt(5)));
        properties.put("t", List.of("", "a", "ab", "b_", "a%b").get(random.nextInt(5)));
        properties.put("flag", random.nextBoolean());
        return properties;
    }

    /** No products of zero: Artemis tells -0.0 from 0, which Java's == does not. */
    private static long nonZero(SplittableRandom random) {
        return random.nextInt(1, 4) * (random.nextBoolean() ? 1L : -1L);
    }

    /** A message as Artemis sees it. */
    private record ByName(Map<String, Object> properties) implements Filterable {
        @Override
        public <T> T getBodyAs(Class<T> type) {
            throw new UnsupportedOperationException("selectors see no body");
        }

        @Override
        public Object getProperty(SimpleString name) {
            return properties.get(name.toString());
        }

        @Override
        public Object getLocalConnectionId() {
            return "";
        }
    }

    /** Selectors whose operands are of like type: where they are not, Artemis follows rules of its own. */
    private record RandomSelector(SplittableRandom random) {
        String condition(int depth) {
            return switch (random.nextInt(depth > 0 ? 12 : 8)) {
                case 0, 1 -> number(1) + comparison(6) + number(1);
                case 2 -> text() + comparison(2) + text();
                case 3 -> "flag" + comparison(2) + (random.nextBoolean() ? "TRUE" : "false");
                case 4 -> number(1) + not() + "BETWEEN " + number(0) + " AND " + number(0);
                case 5 -> name("s", "t") + not() + "IN (" + literals() + ")";
                case 6 -> name("s", "t") + not() + "LIKE " + pattern();
                case 7 -> name("s", "i", "absent", "flag") + " IS" + not() + "NULL";
                case 8 -> "NOT (" + condition(depth - 1) + ")";
                case 9 -> "(" + condition(depth - 1) + ")";
                case 10 -> condition(depth - 1) + " AND " + condition(depth - 1);
                default -> condition(depth - 1) + " OR " + condition(depth - 1);
            };
        }

        private String not() {
            return random.nextBoolean() ? " NOT " : " ";
        }

        private String comparison(int of) {
            return List.of(" = ", " <> ", " < ", " <= ", " > ", " >= ").get(random.nextInt(of));
        }

        private String number(int depth) {
            return switch (random.nextInt(depth > 0 ? 6 : 4)) {
                case 0 -> name("i", "j", "x");
                case 1 -> "i";
                case 2 -> Integer.toString(random.nextInt(1, 4));
                case 3 -> random.nextInt(1, 4) + "." + 5 * random.nextInt(2);
                case 4 -> "(" + number(0) + List.of(" + ", " - ", " * ").get(random.nextInt(3)) + number(0) + ")";
                default -> "-" + name("i", "x");
            };
        }

        private String text() {
            return random.nextBoolean() ? name("s", "t") : literal();
        }

        private String literal() {
            return List.of("''", "'a'", "'ab'", "'b_'", "'a%b'", "'it''s'").get(random.nextInt(6));
        }

        private String literals() {
            List<String> values = new ArrayList<>();
            for (int count = random.nextInt(1, 4); count > 0; count--) {
                values.add(literal());
            }
            return String.join(", ", values);
        }

        private String pattern() {
            return List.of("'a%'", "'%'", "'_'", "'%b'", "'a_b'", "'%!_' ESCAPE '!'", "'a!%b' ESCAPE '!'", "'%a%b%'")
                    .get(random.nextInt(8));
        }

        private String name(String... names) {
            return names[random.nextInt(names.length)];
        }
    }
}
