package io.mainstem.transport.tls;

import java.io.IOException;
import java.io.Serial;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Certificate files that cannot be used; the text has the stable code, the file, the reason and the fix. */
public final class TlsException extends IOException {
    @Serial
    private static final long serialVersionUID = 1L;

    TlsException(Path file, String problem, String fix, @Nullable Throwable cause) {
        super("MS-0420 " + file + " " + problem + ". fix: " + fix, cause);
    }
}
