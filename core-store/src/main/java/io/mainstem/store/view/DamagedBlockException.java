package io.mainstem.store.view;

import java.io.IOException;
import java.io.Serial;

/** What stands where a block should be is not that block. Any other failure to read one says nothing about it. */
final class DamagedBlockException extends IOException {
    @Serial
    private static final long serialVersionUID = 1L;

    DamagedBlockException(String problem) {
        super(problem);
    }
}
