package io.mainstem.benchmarks.amqp;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** The broker refused something, or did not answer in time. */
public final class LoadException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    public LoadException(String problem) {
        super(problem);
    }

    public LoadException(String problem, @Nullable Throwable cause) {
        super(problem, cause);
    }
}
