package io.mainstem.store;

/**
 * One slot of a lane: a pointer into the log with what dispatch must know (store.md section 5, 32 bytes on disk).
 *
 * @param index position in the lane, from 0, dense
 * @param lsn of the MSG record that holds the payload
 * @param size body bytes of that record (for large messages: of the listing record)
 * @param flags see the FLAG constants
 * @param fanout how many lanes share the message, >= 1
 * @param aux for FLAG_REF the LSN of the MSG_REF record, else a tag hash or 0
 * @param expireAtMs epoch ms, 0 = never
 */
public record Entry(long index, long lsn, int size, int flags, int fanout, long aux, long expireAtMs) {
    /** {@link #aux} is the LSN of a MSG_REF record with header overrides. */
    public static final int FLAG_REF = 1;
    /** The payload lies in MSG_PART records. */
    public static final int FLAG_LARGE = 2;

    public boolean isRef() {
        return (flags & FLAG_REF) != 0;
    }

    public boolean isLarge() {
        return (flags & FLAG_LARGE) != 0;
    }

    /** Short identity of the record, carried by SETTLE and compared before an entry is settled. */
    public int lsnCheck() {
        return (int) (lsn >>> 3);
    }
}
