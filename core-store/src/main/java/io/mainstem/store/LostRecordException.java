package io.mainstem.store;

import java.io.Serial;

/**
 * The log proves that a record cannot be had: it is damaged, is another one than is looked for, or is not in the log. No
 * other failure of a read proves anything: the record may be read later.
 */
public class LostRecordException extends StoreException {
    @Serial
    private static final long serialVersionUID = 1L;

    public LostRecordException(String code, String problem, String fix) {
        super(code, problem, fix);
    }

    public LostRecordException(String code, String problem, String fix, Throwable cause) {
        super(code, problem, fix, cause);
    }
}
