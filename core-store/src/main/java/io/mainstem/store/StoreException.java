package io.mainstem.store;

import java.io.Serial;

/** A failure of the store that a person has to read: what happened, where, and how to mend it. */
public class StoreException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final String code;
    private final String fix;

    /**
     * @param code stable id such as {@code MS-0201}, listed in docs/log-ids.md
     * @param problem what happened and where, one sentence
     * @param fix what to do about it, one sentence
     */
    public StoreException(String code, String problem, String fix) {
        super(code + " " + problem + " fix: " + fix);
        this.code = code;
        this.fix = fix;
    }

    /** As above, with the failure that caused it. */
    public StoreException(String code, String problem, String fix, Throwable cause) {
        super(code + " " + problem + " fix: " + fix, cause);
        this.code = code;
        this.fix = fix;
    }

    /** The stable id. */
    public String code() {
        return code;
    }

    /** The advice. */
    public String fix() {
        return fix;
    }
}
