package io.mainstem.routing.topology;

import io.mainstem.routing.BindingSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of a headers binding, ready for comparing. Immutable.
 *
 * @param all every argument must match, else any one
 * @param arguments those that count; a value of {@link BindingSpec#VOID} tests presence only
 */
record HeadersMatcher(boolean all, Map<String, Object> arguments) {
    static final Set<String> MODES = Set.of("all", "any", "all-with-x", "any-with-x");

    static HeadersMatcher of(BindingSpec spec) {
        Object mode = spec.arguments().getOrDefault("x-match", "all");
        boolean withX = mode instanceof String text && text.endsWith("-with-x");
        Map<String, Object> counted = new HashMap<>();
        spec.arguments().forEach((name, value) -> {
            if (!name.equals("x-match") && (withX || !name.startsWith("x-"))) {
                counted.put(name, value);
            }
        });
        return new HeadersMatcher(mode instanceof String text && text.startsWith("all"), counted);
    }

    /** What its arguments ask for, each of them. */
    List<HeaderNeed> needs() {
        List<HeaderNeed> needs = new ArrayList<>(arguments.size());
        arguments.forEach((name, value) -> needs.add(HeaderNeed.of(name, value)));
        return needs;
    }

    boolean matches(Headers headers) {
        for (Map.Entry<String, Object> argument : arguments.entrySet()) {
            if (matches(argument.getKey(), argument.getValue(), headers) != all) {
                return !all;
            }
        }
        return all;
    }

    private static boolean matches(String name, Object wanted, Headers headers) {
        if (wanted == BindingSpec.VOID) {
            return headers.has(name);
        }
        return equal(wanted, headers.get(name));
    }

    /** By value and type; the width of an integer is no part of its type. */
    private static boolean equal(Object wanted, @Nullable Object found) {
        if (wanted instanceof byte[] bytes) {
            return found instanceof byte[] other && Arrays.equals(bytes, other);
        }
        if (wanted instanceof Integer || wanted instanceof Short || wanted instanceof Byte) {
            return found instanceof Long other && other == ((Number) wanted).longValue();
        }
        if (wanted instanceof Float number) {
            return found instanceof Double other && other == number.doubleValue();
        }
        return wanted.equals(found);
    }
}
