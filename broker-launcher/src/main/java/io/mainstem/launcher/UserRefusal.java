package io.mainstem.launcher;

import io.mainstem.launcher.lifecycle.ExitCode;
import java.io.Serial;

/** {@code mainstem user} was asked for something that the users file does not admit. The text names the fix. */
final class UserRefusal extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final ExitCode exitCode;

    UserRefusal(ExitCode exitCode, String text) {
        super(text);
        this.exitCode = exitCode;
    }

    /** What the process returns. */
    ExitCode exitCode() {
        return exitCode;
    }
}
