package io.mainstem.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Builds the records a {@link RecordGroup} is made of; {@link RecordBody} takes their bodies apart again.
 *
 * <p>All bodies begin with {@code u8 version = 1}. {@code varint} = unsigned, 7 bits a byte, lowest first; fixed
 * numbers are little-endian; {@code [...]*n} = repeated.
 *
 * <pre>
 * MSG      u8 flags (1 expiry, 2 tag, 4 delay, 8 expiry for each) | varint n | [varint queueId << 4 | lane]*n |
 *          (varint deliverAtMs | [varint m | [varint queueId << 4 | lane]*m]*3: stored, in memory, best effort) |
 *          (varint expireAtMs, or one for each route, or if delayed for each stored one) | (u64 tagHash) |
 *          varint headBytes | head | payload to the end
 * MSG_REF  u8 flags (1 expiry, 8 expiry for each) | varint n | [varint queueId << 4 | lane]*n |
 *          (varint expireAtMs, or one for each route) | u64 targetLsn | varint targetSize | varint targetFlags |
 *          overrides to the end
 * SETTLE   varint groups | [ varint laneId | u8 kind
 *                          | varint n | [varint first - end of the range before | varint count | u32 lsnCheck]*n
 *                          | varint m | [varint unit - unit before | varint refs | varint bytes]*m ]*groups
 * RELEASE  varint lanes | [ varint laneId | varint n | [varint index - index before]*n ]*lanes
 * PURGE    varint queueId | u8 dropQueue (0 or 1)
 * META     varint n | [ varint keyBytes | key | varint valueBytes + 1, 0 = delete | value ]*n
 * DEDUP    varint n | [ varint keyBytes | key | varint bit | varint atMs ]*n
 * </pre>
 *
 * <p>A lane is a priority, 0 to 9, or 10 to 12: that of priority 0, with a stamp of 1 to 3 ({@link Route#stamp}).
 *
 * <p>A SETTLE tells what its entries hold of the log in units of 64 KiB ({@link Entry#UNIT_BYTES}), of which every
 * segment size is a multiple: so the record needs no segment size, and whoever folds it needs no entries.
 *
 * <p>Thread: any.
 */
public final class Frames {
    /** Largest head and routes of one message, encoded: they must fit a record beside the listing of parts. */
    public static final int HEAD_BYTES_MAX = ShardStore.RECORD_BODY_BYTES_MAX - (64 << 10);

    private Frames() {}

    /**
     * A message.
     *
     * @param routes at least one; no lane twice
     * @param expireAtMs epoch ms, 0 = never
     * @param tagHash for filters, 0 = none
     * @param head opaque to the store, copied
     * @param payload in pieces; they belong to the frame from now on
     * @throws IllegalArgumentException if there is no route, or head and routes exceed {@link #HEAD_BYTES_MAX}
     */
    public static Frame message(List<Route> routes, long expireAtMs, long tagHash, byte[] head, List<byte[]> payload) {
        return message(routes, ExpiryTimes.of(expireAtMs), tagHash, head, payload);
    }

    /** As above, with a time for each route. */
    public static Frame message(
            List<Route> routes, ExpiryTimes expiry, long tagHash, byte[] head, List<byte[]> payload) {
        checkRoutes(routes);
        byte[] first = MessageCodec.encodeMessage(routes, expiry, tagHash, head);
        checkSize("head with routes", first.length, HEAD_BYTES_MAX);
        return message(first, payload);
    }

    private static Frame message(byte[] first, List<byte[]> payload) {
        List<byte[]> pieces = new ArrayList<>(payload.size() + 1);
        pieces.add(first);
        pieces.addAll(payload);
        return new Frame(RecordType.MSG, 0, pieces);
    }

    /**
     * A message that waits for its time in the {@link ScheduleLane} of its hour: its entry there has the time in place of
     * the expiry.
     *
     * @param expiry for the lanes of {@code delay}
     * @param head opaque to the store, copied
     * @param payload in pieces; they belong to the frame from now on
     * @throws IllegalArgumentException if head and routes exceed {@link #HEAD_BYTES_MAX}
     */
    public static Frame delayedMessage(Delay delay, ExpiryTimes expiry, byte[] head, List<byte[]> payload) {
        return delayedMessage(ScheduleLane.of(delay.deliverAtMs()), delay, expiry, head, payload);
    }

    /**
     * As above, but kept in another lane until a reference puts it into the schedule: a {@link #messageRef} to it, whose
     * route is the lane of the hour and whose expiry is the time.
     *
     * @param lane where it is kept; its entry there has the time in place of the expiry, too
     */
    public static Frame delayedMessage(Route lane, Delay delay, ExpiryTimes expiry, byte[] head, List<byte[]> payload) {
        byte[] first = MessageCodec.encodeDelayed(lane, delay, expiry, head);
        checkSize("head with routes", first.length, HEAD_BYTES_MAX);
        return message(first, payload);
    }

    /**
     * A further appearance of a message that is still held by {@code target}, which may be settled in the same group
     * behind this frame, not before it.
     *
     * @param target an unsettled entry; if it is itself a reference, {@code overrides} replace those of it
     * @param overrides opaque to the store, copied; empty = none
     */
    public static Frame messageRef(List<Route> routes, Entry target, ExpiryTimes expiry, byte[] overrides) {
        checkRoutes(routes);
        byte[] body = MessageCodec.encodeMessageRef(routes, target, expiry, overrides);
        checkSize("overrides with routes", body.length, HEAD_BYTES_MAX);
        return new Frame(RecordType.MSG_REF, 0, List.of(body));
    }

    /**
     * Entries that are done with, of any lanes, in any order.
     *
     * @param settlements at least one, no entry twice
     */
    public static Frame settle(List<Settlement> settlements) {
        if (settlements.isEmpty()) {
            throw new IllegalArgumentException("settlements: 0 (expected: >= 1)");
        }
        byte[] body = SettleCodec.encodeSettle(settlements);
        checkSize("settlements", body.length, ShardStore.RECORD_BODY_BYTES_MAX);
        return new Frame(RecordType.SETTLE, 0, List.of(body));
    }

    /** Failed deliveries of one lane: each index counts one more. */
    public static Frame release(long laneId, long[] indexes) {
        return release(Map.of(laneId, indexes));
    }

    /** Failed deliveries of several lanes: each index of each lane counts one more. */
    public static Frame release(Map<Long, long[]> indexesByLane) {
        byte[] body = SettleCodec.encodeRelease(indexesByLane);
        checkSize("releases", body.length, ShardStore.RECORD_BODY_BYTES_MAX);
        return new Frame(RecordType.RELEASE, 0, List.of(body));
    }

    /**
     * All entries that the queue's lanes hold when this record is folded are settled, taken ones too.
     *
     * @param dropQueue also forget the queue: later records for its id are ignored, for ever
     */
    public static Frame purge(int queueId, boolean dropQueue) {
        if (queueId < 1) {
            throw new IllegalArgumentException("queueId: " + queueId + " (expected: >= 1)");
        }
        return new Frame(RecordType.PURGE, 0, List.of(QueueCodec.encodePurge(queueId, dropQueue)));
    }

    /** Puts and deletes in the metadata image, in this order. */
    public static Frame meta(List<MetaChange> changes) {
        byte[] body = QueueCodec.encodeMeta(changes);
        checkSize("meta changes", body.length, ShardStore.RECORD_BODY_BYTES_MAX);
        return new Frame(RecordType.META, 0, List.of(body));
    }

    /**
     * Bits to set in values of the metadata image ({@link MarkedBits}): records that are folded in any number and order
     * lose nothing of each other, as puts of whole values would.
     *
     * @param marks at least one
     */
    public static Frame mark(List<MetaMark> marks) {
        byte[] body = QueueCodec.encodeMarks(marks);
        checkSize("marks", body.length, ShardStore.RECORD_BODY_BYTES_MAX);
        return new Frame(RecordType.DEDUP, 0, List.of(body));
    }

    private static void checkRoutes(List<Route> routes) {
        if (routes.isEmpty()) {
            throw new IllegalArgumentException("routes: 0 (expected: >= 1)");
        }
    }

    private static void checkSize(String what, int bytes, int max) {
        if (bytes > max) {
            throw new IllegalArgumentException(what + ": " + bytes + " bytes (expected: <= " + max + ")");
        }
    }
}
