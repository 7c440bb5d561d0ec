package io.mainstem.store;

import org.jspecify.annotations.Nullable;

/**
 * One entry that is done with, as a SETTLE record says it.
 *
 * @param kind why
 */
public record Settlement(long laneId, Entry entry, Kind kind) {
    /** Why an entry left its queue; codes are on disk and never reused. */
    public enum Kind {
        ACK(1),
        REJECT(2),
        EXPIRED(3),
        DROPPED(4),
        MOVED(5),
        /** Its record is damaged on disk, so nobody will ever get it. */
        LOST(6);

        private static final Kind[] CODES = values();

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        /** The code on disk. */
        public int code() {
            return code;
        }

        /** The kind with this code, or null. */
        static @Nullable Kind of(int code) {
            return code >= 1 && code <= CODES.length ? CODES[code - 1] : null;
        }
    }
}
