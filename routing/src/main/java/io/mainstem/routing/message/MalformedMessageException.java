package io.mainstem.routing.message;

import java.io.Serial;

/**
 * Encoded bytes that break their own format. The only exception that the decoders of this package throw, whatever the
 * input. Heads answer it with their protocol's decode error; for bytes from the log it means damage.
 */
public final class MalformedMessageException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private static final String CODE = "MS-0301";

    /**
     * Says what is wrong.
     *
     * @param problem what was wanted and found, at which byte
     */
    public MalformedMessageException(String problem) {
        super(CODE + " malformed message: " + problem + " fix: correct the sender's encoder", null, false, false);
    }

    /** The stable id. */
    public String code() {
        return CODE;
    }
}
