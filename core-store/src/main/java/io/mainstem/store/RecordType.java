package io.mainstem.store;

import org.jspecify.annotations.Nullable;

/** Kinds of log records and their codes on disk [L-2]. Codes are never reused. */
public enum RecordType {
    /** Opens every writer batch. */
    BATCH(1),
    /** Fills a segment to its end. */
    PAD(2),
    /** A writer incarnation begins. */
    EPOCH(3),
    /** A message with its routes. */
    MSG(16),
    /** One piece of a message above 1 MiB. */
    MSG_PART(17),
    /** A further appearance of a stored message: points at its LSN, copies no payload. */
    MSG_REF(18),
    /** Entries that are done with. */
    SETTLE(32),
    /** Failed deliveries: raises delivery counts. */
    RELEASE(33),
    /** All entries of a queue, or of all its lanes, go. */
    PURGE(35),
    /** Topology: key/value puts and deletes. */
    META(64),
    /** Bits to set in values of the metadata: what has been published already. */
    DEDUP(66);

    private static final RecordType[] TYPES = values();

    private final int code;

    RecordType(int code) {
        this.code = code;
    }

    /** The code on disk, 1 to 255. */
    public int code() {
        return code;
    }

    /** The type with this code, or null. */
    public static @Nullable RecordType of(int code) {
        for (RecordType type : TYPES) {
            if (type.code == code) {
                return type;
            }
        }
        return null;
    }
}
