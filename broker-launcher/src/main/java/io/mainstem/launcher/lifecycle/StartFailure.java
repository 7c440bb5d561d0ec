package io.mainstem.launcher.lifecycle;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** The broker cannot start, for a reason outside it; the text is meant for the console, without a stack trace. */
public final class StartFailure extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final ExitCode exitCode;

    /**
     * @param code stable id, listed in docs/log-ids.md
     * @param problem what happened and where, one sentence
     * @param fix what to do about it, one sentence
     */
    public StartFailure(ExitCode exitCode, String code, String problem, String fix, @Nullable Throwable cause) {
        super(code + " " + problem + " fix: " + fix, cause);
        this.exitCode = exitCode;
    }

    /** @param cause whose text already has code, problem and fix */
    StartFailure(ExitCode exitCode, Exception cause) {
        super(cause.getMessage(), cause);
        this.exitCode = exitCode;
    }

    /** What the process should return. */
    public ExitCode exitCode() {
        return exitCode;
    }
}
