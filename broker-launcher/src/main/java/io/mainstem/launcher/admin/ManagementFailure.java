package io.mainstem.launcher.admin;

import io.mainstem.launcher.lifecycle.ExitCode;
import java.io.Serial;

/** The broker could not be asked, or it refused. The text names the fix. */
public final class ManagementFailure extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final ExitCode exitCode;

    ManagementFailure(ExitCode exitCode, String text) {
        super(text);
        this.exitCode = exitCode;
    }

    /** What the process returns. */
    public ExitCode exitCode() {
        return exitCode;
    }
}
