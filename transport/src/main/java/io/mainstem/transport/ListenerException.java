package io.mainstem.transport;

import java.io.IOException;
import java.io.Serial;

/** A listener could not be opened; the text has the stable code, the reason and the fix. */
public final class ListenerException extends IOException {
    @Serial
    private static final long serialVersionUID = 1L;

    ListenerException(String text, Throwable cause) {
        super(text, cause);
    }
}
