package io.mainstem.store.files;

import java.io.IOException;
import java.util.List;

/** Tells a full disk, which passes when something is deleted, from one that fails. Thread: any. */
public final class DiskSpace {
    /** What Linux, its quotas, and Windows say. */
    private static final List<String> TEXTS =
            List.of("No space left", "Disk quota exceeded", "not enough space on the disk");

    private DiskSpace() {}

    /** The store itself keeps the rest of the disk free. */
    public static final class KeptException extends IOException {
        private static final long serialVersionUID = 1L;

        public KeptException(String message) {
            super(message);
        }
    }

    /** True if {@code failure} or what caused it says that there is no space. */
    public static boolean isShort(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String text = String.valueOf(cause.getMessage());
            if (cause instanceof KeptException || TEXTS.stream().anyMatch(text::contains)) {
                return true;
            }
        }
        return false;
    }

    /** What a person has to do about it, one clause. */
    public static String fix(Throwable failure) {
        return isShort(failure) ? "free disk space" : "check the disk";
    }
}
