package io.mainstem.amqp.v1.management;

import io.mainstem.amqp.v1.address.PercentCoding;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request's path and query, taken apart before anything is decoded, and not normalised, [R-3].
 *
 * @param segments of the path, still percent-encoded
 * @param query decoded; the last one of a name wins
 */
record Target(List<String> segments, Map<String, String> query) {
    static Target parse(String text) {
        int mark = text.indexOf('?');
        String path = mark < 0 ? text : text.substring(0, mark);
        if (!path.startsWith("/")) {
            throw RequestException.bad("the path '" + text + "' does not begin with '/'");
        }
        List<String> segments = List.of(path.substring(1).split("/", -1));
        return new Target(segments, mark < 0 ? Map.of() : query(text.substring(mark + 1)));
    }

    private static Map<String, String> query(String text) {
        Map<String, String> query = new LinkedHashMap<>();
        for (String part : text.split("&", -1)) {
            int equals = part.indexOf('=');
            if (equals <= 0) {
                throw RequestException.bad("query part '" + part + "' (expected: name=value)");
            }
            query.put(
                    part.substring(0, equals),
                    decoded(part, () -> PercentCoding.decodeParameter(part.substring(equals + 1))));
        }
        return query;
    }

    /** The kind of object: the first segment. */
    String collection() {
        return segments.get(0);
    }

    int size() {
        return segments.size();
    }

    /** The second segment, decoded: the object's name, which is not empty. */
    String name() {
        String segment = segments.get(1);
        String name = decoded(segment, () -> PercentCoding.decodeSegment(segment));
        if (name.isEmpty()) {
            throw RequestException.bad("empty name in path");
        }
        return name;
    }

    @Nullable
    String parameter(String name) {
        return query.get(name);
    }

    /** A number of the query. */
    int number(String name, int absent, int max) {
        String text = query.get(name);
        if (text == null) {
            return absent;
        }
        try {
            int value = Integer.parseInt(text);
            if (value >= 1 && value <= max) {
                return value;
            }
        } catch (NumberFormatException notANumber) {
            // answered below
        }
        throw RequestException.bad("parameter " + name + "=" + text + " (expected: 1 to " + max + ")");
    }

    static String decoded(String part, Decoding decoding) {
        try {
            return decoding.decode();
        } catch (IllegalArgumentException malformed) {
            throw RequestException.bad("'" + part + "' is malformed (expected: " + malformed.getMessage() + ")");
        }
    }

    /** One way to decode a part. */
    interface Decoding {
        /** @throws IllegalArgumentException saying what was expected */
        String decode();
    }
}
