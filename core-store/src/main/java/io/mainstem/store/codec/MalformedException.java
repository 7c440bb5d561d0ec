package io.mainstem.store.codec;

import java.io.Serial;

/** Bytes that are not what their format says; the message tells what was wrong and at which offset. */
public final class MalformedException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    public MalformedException(String problem, int offset) {
        super(problem + " at byte " + offset);
    }
}
