package io.mainstem.launcher.security;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** The users file cannot be read, understood or written; the text has the stable code, the reason and the fix. */
public final class UsersFileException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    UsersFileException(String code, String problem, String fix, @Nullable Throwable cause) {
        super(code + " " + problem + " fix: " + fix, cause);
    }
}
