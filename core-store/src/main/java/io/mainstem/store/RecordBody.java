package io.mainstem.store;

import io.mainstem.store.codec.BytesReader;
import io.mainstem.store.codec.MalformedException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A record's body as {@link Frames} wrote it, taken apart. Arrays belong to the record and are read-only by contract.
 *
 * <p>Thread: any; immutable.
 */
public sealed interface RecordBody {
    /** Version written by this build, and the only one it reads; first byte of each body. */
    int VERSION = 1;

    /**
     * A message's routes. Head and payload stay in the body they were read from.
     *
     * @param expiry for {@code routes}, or for those of {@code delay} if there is one
     * @param delay null for a message that waits for nothing; else {@code routes} is the lane it waits in
     * @param headFrom offset of the head in the body
     * @param headBytes its length; the payload begins behind it
     */
    record Message(
            List<Route> routes,
            ExpiryTimes expiry,
            long tagHash,
            @Nullable Delay delay,
            int headFrom,
            int headBytes) implements RecordBody {
        /** Offset of the payload, or of what of it is in this body. */
        public int payloadFrom() {
            return headFrom + headBytes;
        }
    }

    /**
     * A further appearance of a message.
     *
     * @param targetLsn its MSG record
     * @param targetSize as in the target's entry
     * @param targetFlags as in the target's entry, without FLAG_REF
     * @param overridesFrom offset of the overrides, which reach to the body's end
     */
    record MessageRef(
            List<Route> routes, long targetLsn, int targetSize, int targetFlags, ExpiryTimes expiry, int overridesFrom)
            implements RecordBody {}

    /** Entries that are done with, by lane. */
    record Settle(List<SettledRanges> lanes) implements RecordBody {}

    /** Failed deliveries, by lane. */
    record Release(List<ReleasedEntries> lanes) implements RecordBody {}

    /** All entries of a queue go. */
    record Purge(int queueId, boolean dropQueue) implements RecordBody {}

    /** Puts and deletes in the metadata image, in order. */
    record Meta(List<MetaChange> changes) implements RecordBody {}

    /** Bits to set in values of the metadata image. */
    record Dedup(List<MetaMark> marks) implements RecordBody {}

    /**
     * Settled entries of one lane and of one kind.
     *
     * @param first first index of each range, ascending
     * @param count entries of each range
     * @param lsnCheck {@link Entry#lsnCheck} of each range's first entry
     * @param units what the entries held of each {@link Entry#UNIT_BYTES unit} of the log
     */
    record SettledRanges(
            long laneId, Settlement.Kind kind, long[] first, int[] count, int[] lsnCheck, UnitRefs units) {}

    /**
     * References into the log: parallel arrays, units ascending.
     *
     * @param unit LSN / {@link Entry#UNIT_BYTES}
     * @param refs entries that need bytes in it, counted once each
     * @param bytes their estimated share of bytes
     */
    record UnitRefs(long[] unit, int[] refs, long[] bytes) {}

    /**
     * Entries of one lane whose delivery failed once more.
     *
     * @param indexes ascending
     */
    record ReleasedEntries(long laneId, long[] indexes) {}

    /**
     * The parts of a large message.
     *
     * @param lsn of each MSG_PART record
     * @param bytes its body length
     * @param bodyFrom offset where the message's body begins, behind the listing
     */
    record PartList(long[] lsn, int[] bytes, int bodyFrom) {}

    /**
     * Takes a body apart.
     *
     * @param bodyFrom where it begins: 0, or for large messages {@link PartList#bodyFrom}
     * @throws MalformedException if it is not a body of that type and version
     */
    static RecordBody decode(RecordType type, byte[] body, int bodyFrom) {
        BytesReader in = new BytesReader(body, bodyFrom, body.length);
        int version = in.u8();
        if (version != VERSION) {
            throw in.malformed("body version " + version + ", this build reads " + VERSION);
        }
        return switch (type) {
            case MSG -> MessageCodec.message(in);
            case MSG_REF -> MessageCodec.messageRef(in);
            case SETTLE -> SettleCodec.settle(in);
            case RELEASE -> SettleCodec.release(in);
            case PURGE -> QueueCodec.purge(in);
            case META -> QueueCodec.meta(in);
            case DEDUP -> QueueCodec.marks(in);
            default -> throw in.malformed("record type " + type + " has no body of the store");
        };
    }

    /**
     * Reads the listing at the beginning of a large message's MSG record.
     *
     * @throws MalformedException if it is none
     */
    static PartList partList(byte[] body) {
        BytesReader in = new BytesReader(body);
        int parts = in.u32();
        if (parts < 1 || parts > in.remaining() / 12) {
            throw in.malformed("listing of " + Integer.toUnsignedString(parts) + " parts");
        }
        long[] lsn = new long[parts];
        int[] bytes = new int[parts];
        for (int i = 0; i < parts; i++) {
            lsn[i] = in.u64();
            bytes[i] = in.u32();
            if (lsn[i] < 0 || bytes[i] < 0) {
                throw in.malformed("part " + i + " of a negative position or length");
            }
        }
        return new PartList(lsn, bytes, in.position());
    }
}
