package io.mainstem.amqp.v1.management;

import org.jspecify.annotations.Nullable;

/**
 * A response [mapping 5.3].
 *
 * @param status as in HTTP
 * @param body the amqp-value to be encoded by proton-j; with an error status its text
 */
public record Response(int status, @Nullable Object body) {
    static final int OK = 200;
    static final int CREATED = 201;
    static final int NO_CONTENT = 204;
    static final int BAD_REQUEST = 400;
    static final int FORBIDDEN = 403;
    static final int NOT_FOUND = 404;
    static final int METHOD_NOT_ALLOWED = 405;
    static final int CONFLICT = 409;
    static final int INTERNAL_ERROR = 500;
    static final int UNAVAILABLE = 503;

    static Response ok(Object body) {
        return new Response(OK, body);
    }

    static Response noContent() {
        return new Response(NO_CONTENT, null);
    }
}
