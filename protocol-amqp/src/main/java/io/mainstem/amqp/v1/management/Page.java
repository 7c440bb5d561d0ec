package io.mainstem.amqp.v1.management;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which part of a list is asked for; our extension. {@code GET /queues?after=NAME&limit=N} answers a map of
 * {@code items} and, if there are more, {@code next}: what to give as {@code after} for the next page.
 */
record Page(String after, int limit) {
    static final int LIMIT_MAX = 1_000;
    private static final int LIMIT_DEFAULT = 100;

    static Page of(Target target) {
        String after = target.parameter("after");
        return new Page(after == null ? "" : after, target.number("limit", LIMIT_DEFAULT, LIMIT_MAX));
    }

    /** @param last name of the last one of {@code items}, or null if there is none */
    Response response(List<Map<String, @Nullable Object>> items, @Nullable String last) {
        Map<String, @Nullable Object> body = new LinkedHashMap<>();
        body.put("items", items);
        if (last != null && items.size() == limit) {
            body.put("next", last);
        }
        return Response.ok(body);
    }
}
