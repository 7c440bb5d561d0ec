package io.mainstem.store.checkpoint;

import java.io.IOException;
import java.io.Serial;

/** An image in a format this build does not know. */
final class NewerImageException extends IOException {
    @Serial
    private static final long serialVersionUID = 1L;

    NewerImageException(int version) {
        super("has format version " + version + ", this build reads " + ImageFormat.VERSION);
    }
}
