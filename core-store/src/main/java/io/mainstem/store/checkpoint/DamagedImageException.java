package io.mainstem.store.checkpoint;

import java.io.IOException;
import java.io.Serial;

/** A file that is no sound image. */
final class DamagedImageException extends IOException {
    @Serial
    private static final long serialVersionUID = 1L;

    DamagedImageException(String problem) {
        super(problem);
    }
}
