package io.mainstem.routing.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.Messages;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("[A-2] Bindings of a headers exchange")
final class HeadersTableTest {
    private static final Object[] WANTED = {
        "x", "y", 1, (short) 1, 1L, 2L, true, 0.0, -0.0f, 1.5, Double.NaN, new byte[] {1}, BindingSpec.VOID
    };
    private static final Object[] FOUND = {"x", "y", 1, 1L, 2L, true, 0.0, -0.0, 1.5, Double.NaN, new byte[] {1}};
    private static final String[] NAMES = {"a", "b", "c", "x-d"};
    private static final String[] MODES = {"all", "any", "all-with-x", "any-with-x"};

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4})
    @DisplayName("the index finds what comparing one by one finds, through binds and unbinds")
    void agreesWithComparingOneByOne(long seed) {
        Random random = new Random(seed);
        BindingTable table = HeadersTable.EMPTY;
        List<Binding> bound = new ArrayList<>();
        for (int step = 0; step < 3_000; step++) {
            if (!bound.isEmpty() && random.nextInt(5) < 2) {
                table = table.without(bound.remove(random.nextInt(bound.size())));
            } else {
                Map<String, Object> arguments = some(random, WANTED);
                if (random.nextBoolean()) {
                    arguments.put("x-match", MODES[random.nextInt(MODES.length)]);
                }
                Binding binding = Binding.of(new BindingSpec("h", "q" + step, true, "", arguments), true);
                table = table.with(binding);
                bound.add(binding);
            }
            Message message = new Messages().properties(some(random, FOUND)).message();
            Set<Binding> expected = new HashSet<>();
            for (Binding each : bound) {
                if (HeadersMatcher.of(each.spec()).matches(new Headers(message))) {
                    expected.add(each);
                }
            }
            Set<Binding> matched = new HashSet<>();
            table.match("", new Headers(message), matched::add);
            assertThat(matched).as("step %d", step).isEqualTo(expected);
        }
        Set<Binding> all = new HashSet<>();
        table.forEach(all::add);
        assertThat(all).isEqualTo(new HashSet<>(bound));
        for (Binding each : bound) {
            table = table.without(each);
        }
        table.forEach(each -> assertThat(each).isNull());
    }

    private static Map<String, Object> some(Random random, Object[] values) {
        Map<String, Object> some = new HashMap<>();
        for (int i = random.nextInt(4); i > 0; i--) {
            some.put(NAMES[random.nextInt(NAMES.length)], values[random.nextInt(values.length)]);
        }
        return some;
    }

    @Test
    @DisplayName("issue 12 line 10: a message is compared with those only that ask for one of its headers")
    void aMessageIsComparedWithFew() {
        HeadersTable table = HeadersTable.EMPTY;
        for (int i = 0; i < 20_000; i++) {
            Map<String, Object> arguments = Map.of("format", "pdf", "customer", i);
            table = (HeadersTable) table.with(Binding.of(new BindingSpec("h", "q" + i, true, "", arguments), true));
        }
        List<Integer> listed = new ArrayList<>();
        table.byNeed().forEach((need, bindings) -> listed.add(bindings.size()));
        assertThat(listed).hasSize(20_000).containsOnly(1);

        Message message = new Messages()
                .properties(Map.of("format", "pdf", "customer", 77))
                .message();
        List<String> matched = new ArrayList<>();
        table.match("", new Headers(message), each -> matched.add(each.spec().destination()));
        assertThat(matched).containsExactly("q77");
    }
}
