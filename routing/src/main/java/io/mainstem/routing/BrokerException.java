package io.mainstem.routing;

import java.io.Serial;

/** An expected refusal, with a stable code and the fix in its text ({@code MS-xxxx ... fix: ...}). */
public final class BrokerException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final ErrorKind kind;
    private final String code;

    /**
     * @param code stable id such as {@code MS-0311}, listed in docs/log-ids.md
     * @param problem names the object, what was wanted, what was found
     * @param fix what the caller can do
     */
    public BrokerException(ErrorKind kind, String code, String problem, String fix) {
        super(code + " " + problem + " fix: " + fix, null, false, false);
        this.kind = kind;
        this.code = code;
    }

    public ErrorKind kind() {
        return kind;
    }

    /** The stable id. */
    public String code() {
        return code;
    }
}
