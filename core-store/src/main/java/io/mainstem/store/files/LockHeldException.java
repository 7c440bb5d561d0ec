package io.mainstem.store.files;

import java.io.IOException;
import java.io.Serial;
import java.nio.file.Path;

/** The lock is taken; says by whom. */
public final class LockHeldException extends IOException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final String holder;

    /** @param holder what the owner wrote into the lock file, maybe empty */
    public LockHeldException(Path path, String holder) {
        super(path + " is locked by " + holder);
        this.holder = holder;
    }

    /** What the owner wrote into the lock file. */
    public String holder() {
        return holder;
    }
}
