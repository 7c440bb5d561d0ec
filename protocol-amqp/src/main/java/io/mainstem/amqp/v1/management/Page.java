package io.mainstem.amqp.v1.management;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which part of a list is asked for; our extension. {@code GET /queues?after=NAME&limit=N} answers a map of
 * {@code items}, maybe fewer than asked for, and, if there are more, {@code next}: what to give as {@code after} for the next page.
 */
record Page(String after, int limit) {
    static final int LIMIT_MAX = 1_000;
    private static final int LIMIT_DEFAULT = 100;

    static Page of(Target target) {
        String after = target.parameter("after");
        return new Page(after == null ? "" : after, target.number("limit", LIMIT_DEFAULT, LIMIT_MAX));
    }

    /** @param next what the next page begins after, or null if there is none */
    static Response response(List<Map<String, @Nullable Object>> items, @Nullable String next) {
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        body.put("items", items);
        if (next != null) {
            body.put("next", next);
        }
        return Response.ok(body);
    }

    /** @param last name of the last one of {@code items}, or null if there is none */
    Response full(List<Map<String, @Nullable Object>> items, @Nullable String last) {
        return response(items, items.size() == limit ? last : null);
    }
}
