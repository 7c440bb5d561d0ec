package io.mainstem.amqp.v1.management;

import java.io.Serial;

/** A request that is refused as it stands. Has no stack trace: it is an answer, not a bug. */
final class RequestException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final int status;

    RequestException(int status, String text) {
        super(text, null, false, false);
        this.status = status;
    }

    /** Something in it is wrong; the text says what and what was expected. */
    static RequestException bad(String text) {
        return new RequestException(Response.BAD_REQUEST, "MS-0540 " + text);
    }

    Response toResponse() {
        return new Response(status, getMessage());
    }
}
