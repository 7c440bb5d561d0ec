package io.mainstem.routing;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** An expected refusal, with a stable code and the fix in its text ({@code MS-xxxx ... fix: ...}). */
public final class BrokerException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final ErrorKind kind;
    private final String code;
    private final String problem;
    private final transient @Nullable RefusingQueue queue;

    /**
     * @param code stable id such as {@code MS-0311}, listed in docs/log-ids.md
     * @param problem names the object, what was wanted, what was found
     * @param fix what the caller can do
     */
    public BrokerException(ErrorKind kind, String code, String problem, String fix) {
        this(kind, code, null, problem, fix);
    }

    /**
     * As above, for a publish that a queue does not take.
     *
     * @param queue which one, and why in one word
     */
    public BrokerException(ErrorKind kind, String code, @Nullable RefusingQueue queue, String problem, String fix) {
        super(code + " " + problem + " fix: " + fix, null, false, false);
        this.kind = kind;
        this.code = code;
        this.problem = problem;
        this.queue = queue;
    }

    public ErrorKind kind() {
        return kind;
    }

    /** The queue that does not take a publish, or null if it is not about that. */
    public @Nullable RefusingQueue queue() {
        return queue;
    }

    /** What was wrong, without code and fix. */
    public String problem() {
        return problem;
    }

    /** The stable id. */
    public String code() {
        return code;
    }
}
