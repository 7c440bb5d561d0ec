package io.mainstem.amqp.v1.management;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The fields of a request's body: known ones only, each of its type. */
final class Fields {
    private final Map<?, ?> body;

    private Fields(Map<?, ?> body) {
        this.body = body;
    }

    /** @param body null counts as an empty map */
    static Fields of(@Nullable Object body, Set<String> known) {
        if (body == null) {
            return new Fields(Map.of());
        }
        if (!(body instanceof Map<?, ?> map)) {
            throw RequestException.bad(
                    "body of type " + body.getClass().getSimpleName() + " (expected: a map, or null)");
        }
        for (Object name : map.keySet()) {
            if (!(name instanceof String text) || !known.contains(text)) {
                throw RequestException.bad("unknown field '" + name + "' (expected: " + String.join(", ", known) + ")");
            }
        }
        return new Fields(map);
    }

    boolean flag(String name, boolean absent) {
        Object value = body.get(name);
        if (value == null) {
            return absent;
        }
        if (value instanceof Boolean flag) {
            return flag;
        }
        throw wrong(name, value, "a boolean");
    }

    @Nullable
    String text(String name) {
        Object value = body.get(name);
        if (value == null || value instanceof String) {
            return (String) value;
        }
        throw wrong(name, value, "a string");
    }

    String text(String name, String absent) {
        String value = text(name);
        return value == null ? absent : value;
    }

    String demand(String name) {
        String value = text(name);
        if (value == null) {
            throw RequestException.bad("field '" + name + "' is missing");
        }
        return value;
    }

    /** A whole number that fits an int. */
    int number(String name, int absent) {
        Object value = body.get(name);
        if (value == null) {
            return absent;
        }
        if (value instanceof Number number
                && !(value instanceof Double)
                && !(value instanceof Float)
                && number.longValue() == number.intValue()) {
            return number.intValue();
        }
        throw wrong(name, value, "a whole number");
    }

    /** As below, of the field {@code arguments}. */
    Map<String, Object> arguments(boolean ofBinding) {
        return arguments("arguments", ofBinding);
    }

    /**
     * A field that holds arguments.
     *
     * @param ofBinding null values mean something: the header need only be there; else they are left out
     */
    Map<String, Object> arguments(String field, boolean ofBinding) {
        Object value = body.get(field);
        if (value == null) {
            return Map.of();
        }
        if (!(value instanceof Map<?, ?> map)) {
            throw wrong(field, value, "a map");
        }
        Map<String, Object> arguments = new HashMap<>();
        map.forEach((name, argument) -> {
            if (!(name instanceof String text)) {
                throw wrong(field, String.valueOf(name), "strings as names");
            }
            if (argument != null || ofBinding) {
                arguments.put(text, Arguments.toModel(text, argument));
            }
        });
        return arguments;
    }

    private static RequestException wrong(String name, Object found, String expected) {
        return RequestException.bad("field '" + name + "': " + found + " (expected: " + expected + ")");
    }
}
