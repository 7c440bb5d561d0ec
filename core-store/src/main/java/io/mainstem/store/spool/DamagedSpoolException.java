package io.mainstem.store.spool;

import java.io.IOException;
import java.io.Serial;

/** What was read of a spooled block is not what was written. Any other failure to read one says nothing about it. */
public final class DamagedSpoolException extends IOException {
    @Serial
    private static final long serialVersionUID = 1L;

    DamagedSpoolException(String problem) {
        super(problem);
    }

    DamagedSpoolException(Throwable cause) {
        super(cause);
    }
}
