package io.mainstem.store;

/**
 * One slot of a lane: a pointer into the log with what dispatch must know ([L-5], 32 bytes on disk).
 *
 * @param index position in the lane, from 0, dense
 * @param lsn of the MSG record that holds the payload
 * @param size body bytes of that record (for large messages: of the listing record)
 * @param flags see the FLAG constants; 16 bits on disk
 * @param fanout how many lanes share the message, 1 to 65,535 (more count as 65,535)
 * @param aux for FLAG_REF the LSN of the MSG_REF record, else a tag hash or 0
 * @param expireAtMs epoch ms, 0 = never; in a {@link ScheduleLane} not the expiry but the time to be delivered at
 */
public record Entry(long index, long lsn, int size, int flags, int fanout, long aux, long expireAtMs) {
    /** {@link #aux} is the LSN of a MSG_REF record with header overrides. */
    public static final int FLAG_REF = 1;
    /** The payload lies in MSG_PART records. */
    public static final int FLAG_LARGE = 2;

    /** Two bits of flags: {@link #stamp}. */
    private static final int STAMP_SHIFT = 2;

    private static final int STAMP_BITS = Route.STAMP_MAX << STAMP_SHIFT;

    /** For large messages, flags from this bit up: how many {@link #PART_STEP_UNITS} before the listing the parts begin. */
    public static final int PART_STEPS_SHIFT = 4;

    /** Most steps that fit into flags: parts begin at most 4 GiB before their listing. */
    public static final int PART_STEPS_MAX = 0xFFF;

    /** Units in one such step (1 MiB). */
    public static final int PART_STEP_UNITS = 16;

    /** Space is accounted in units of the log: every segment size is a multiple of it, so a unit lies in one segment. */
    public static final int UNIT_BYTES = 64 << 10;

    /** Largest {@link #fanout}. */
    public static final int FANOUT_MAX = 0xFFFF;

    /** The same with another time. */
    public Entry expiringAt(long atMs) {
        return new Entry(index, lsn, size, flags, fanout, aux, atMs);
    }

    /** The same with another stamp. */
    public Entry stamped(int stamp) {
        return stamp == stamp()
                ? this
                : new Entry(index, lsn, size, (flags & ~STAMP_BITS) | stamp << STAMP_SHIFT, fanout, aux, expireAtMs);
    }

    /** What its {@link Route} said. */
    public int stamp() {
        return (flags & STAMP_BITS) >>> STAMP_SHIFT;
    }

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

    /** Unit of the MSG record. */
    public long unit() {
        return lsn / UNIT_BYTES;
    }

    /** Unit where the message's bytes begin, or an earlier one: that of its first part, or of the record itself. */
    public long firstUnit() {
        long steps = isLarge() ? flags >>> PART_STEPS_SHIFT & PART_STEPS_MAX : 0;
        return Math.max(0, unit() - steps * PART_STEP_UNITS);
    }

    /** Number of units that {@link #forEachUnit} tells. */
    public long units() {
        return unit() - firstUnit() + (isRef() ? 2 : 1);
    }

    /**
     * Tells which units of the log this entry holds: each unit from the message's first part to its MSG record, and that
     * of its MSG_REF if it has one (a unit that is both, twice). Bytes are an estimate: the record's size divided by
     * its fanout, and whole units for parts. The same entry always tells the same, so what was added can be taken off
     * again exactly.
     */
    public void forEachUnit(UnitVisitor visitor) {
        long last = unit();
        for (long unit = firstUnit(); unit < last; unit++) {
            visitor.unit(unit, UNIT_BYTES / fanout);
        }
        visitor.unit(last, size / fanout);
        if (isRef()) {
            visitor.unit(aux / UNIT_BYTES, 0);
        }
    }

    /** Receives what an entry holds. */
    @FunctionalInterface
    public interface UnitVisitor {
        /** One reference to {@code unit}, worth {@code bytes}. */
        void unit(long unit, long bytes);
    }
}
