package io.mainstem.routing.queue;

import io.mainstem.routing.Outcome;
import io.mainstem.routing.message.MalformedMessageException;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.ModifiedAnnotations;
import io.mainstem.store.MetaChange;
import io.mainstem.store.ShardStore;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Annotations that consumers have added to messages they gave back (messaging 3.4.5, ADR 0081). The message stays where it is; what
 * was added lies beside it, by its place: of a stored one as metadata in the log, written with the record of the failed
 * delivery. Whoever gets, sees, or inherits the message gets it with them. Thread: shard only.
 */
final class AnnotatedMessages {
    private static final Logger LOG = LoggerFactory.getLogger(AnnotatedMessages.class);
    private static final String PREFIX = "annotated/";
    private static final String END = "annotated0";
    private static final int HEX_DIGITS = 16;
    /** Looks for those that have left their queue. */
    private static final int LOOKS_PER_ITERATION = 8;
    /** What one takes beside its bytes, here and in the store's metadata, about. */
    private static final int OVERHEAD_BYTES = 400;

    private final Shard shard;
    private final ShardStore store;
    private final SettlementBatch batch;
    private final long bytesMax;
    /** The one that was looked at longest ago first. */
    private final LinkedHashMap<Place, ModifiedAnnotations> annotated = new LinkedHashMap<>();

    private long bytes;
    private boolean toldThatFull;

    /** @param bytesMax of all annotations */
    AnnotatedMessages(Shard shard, ShardStore store, SettlementBatch batch, long bytesMax) {
        this.shard = shard;
        this.store = store;
        this.batch = batch;
        this.bytesMax = bytesMax;
    }

    /** What the log knows; what belongs to no message any more is deleted. */
    void recover() {
        store.meta().subMap(PREFIX, END).forEach((key, value) -> {
            Place place = place(key);
            if (place == null || gone(place)) {
                batch.change(new MetaChange(key, null));
            } else {
                put(place, restored(key, value));
            }
        });
    }

    /** Null if the queue is gone. */
    private @Nullable Place place(String key) {
        long laneId = Long.parseUnsignedLong(key.substring(PREFIX.length(), PREFIX.length() + HEX_DIGITS), 16);
        long index = Long.parseUnsignedLong(key.substring(PREFIX.length() + HEX_DIGITS + 1), 16);
        MessageQueue queue = shard.queues().byId((int) (laneId >>> 8));
        return queue == null ? null : new Place(queue, Held.Stored.key((int) laneId & 0xff, index));
    }

    /** The log had no room for a change of this key: what is so now is written. */
    void recordAgain(String key) {
        Place place = place(key);
        ModifiedAnnotations all = place == null ? null : annotated.get(place);
        batch.change(new MetaChange(key, all == null ? null : all.toBytes()));
    }

    private static ModifiedAnnotations restored(String key, byte[] value) {
        try {
            return ModifiedAnnotations.restore(value);
        } catch (MalformedMessageException damaged) {
            throw new IllegalStateException("metadata '" + key + "' is damaged: " + damaged.getMessage(), damaged);
        }
    }

    /** The message as it is to be shown. */
    Message over(Held held, Message message) {
        return over(held.queue(), held.key(), message);
    }

    /** As above, by the key of {@link Held#key}. */
    Message over(MessageQueue queue, long key, Message message) {
        if (annotated.isEmpty()) {
            return message;
        }
        ModifiedAnnotations added = annotated.get(new Place(queue, key));
        return added == null ? message : added.over(message);
    }

    /** As above, with what an outcome that is being decided adds. */
    Message over(Held held, Message message, Outcome outcome) {
        ModifiedAnnotations added = added(held, outcome);
        return added == null ? over(held, message) : added.over(message);
    }

    /** An outcome counts from now on: the record goes with the settlements of this iteration. */
    void add(Held held, Outcome outcome) {
        ModifiedAnnotations all = added(held, outcome);
        if (all != null && keep(held, all) && held instanceof Held.Stored stored) {
            batch.change(record(stored, all));
        }
    }

    /** The record of what an outcome adds, for the group that commits it; null if it adds nothing. */
    @Nullable
    MetaChange record(Held.Stored held, Outcome outcome) {
        ModifiedAnnotations all = added(held, outcome);
        return all == null || !fits(new Place(held.queue(), held.key()), all) ? null : record(held, all);
    }

    /** That group is on disk. */
    void recorded(Held held, Outcome outcome) {
        ModifiedAnnotations all = added(held, outcome);
        if (all != null && !keep(held, all) && held instanceof Held.Stored stored) {
            // There was room when the group was made: what the log has now must not outlive the message.
            recordAgain(key(stored.laneId(), stored.entry().index()));
        }
    }

    /** All that the message has got, with this; null if the outcome adds nothing. */
    private @Nullable ModifiedAnnotations added(Held held, Outcome outcome) {
        ModifiedAnnotations said = outcome instanceof Outcome.Modified modified ? modified.annotations() : null;
        if (said == null || annotated.isEmpty()) {
            return said;
        }
        ModifiedAnnotations before = annotated.get(new Place(held.queue(), held.key()));
        return before == null ? said : said.over(before);
    }

    private static MetaChange record(Held.Stored held, ModifiedAnnotations all) {
        return new MetaChange(key(held.laneId(), held.entry().index()), all.toBytes());
    }

    private static String key(long laneId, long index) {
        return PREFIX + hex(laneId) + "/" + hex(index);
    }

    private static String hex(long value) {
        String digits = Long.toHexString(value);
        return "0".repeat(HEX_DIGITS - digits.length()) + digits;
    }

    private boolean keep(Held held, ModifiedAnnotations all) {
        Place place = new Place(held.queue(), held.key());
        if (gone(place)) {
            return false;
        }
        if (fits(place, all)) {
            put(place, all);
            toldThatFull = false;
            return true;
        }
        if (!toldThatFull) {
            toldThatFull = true;
            LOG.warn(
                    "MS-0348 annotations of a modified message not kept, nor those of others until there is room"
                            + " queue={} bytes={} limit={} fix: let consumers settle what they have annotated, or annotate less",
                    held.queue().name(),
                    all.toBytes().length,
                    bytesMax);
        }
        return false;
    }

    private boolean fits(Place place, ModifiedAnnotations all) {
        ModifiedAnnotations before = annotated.get(place);
        return all.toBytes().length <= ModifiedAnnotations.BYTES_MAX
                && bytes + weight(all) - (before == null ? 0 : weight(before)) <= bytesMax;
    }

    private void put(Place place, ModifiedAnnotations all) {
        ModifiedAnnotations before = annotated.put(place, all);
        bytes += weight(all) - (before == null ? 0 : weight(before));
    }

    private static long weight(ModifiedAnnotations all) {
        return all.toBytes().length + (long) OVERHEAD_BYTES;
    }

    /** Lets go what belongs to messages that have left their queues, a few at a time. */
    void look() {
        for (int left = Math.min(LOOKS_PER_ITERATION, annotated.size()); left > 0; left--) {
            Iterator<Map.Entry<Place, ModifiedAnnotations>> first =
                    annotated.entrySet().iterator();
            Map.Entry<Place, ModifiedAnnotations> oldest = first.next();
            Place place = oldest.getKey();
            ModifiedAnnotations all = oldest.getValue();
            first.remove();
            if (gone(place)) {
                bytes -= weight(all);
                if (place.key >= 0) {
                    int priority = (int) (place.key >>> 56);
                    batch.change(new MetaChange(key(place.queue.laneId(priority), Outcomes.position(place.key)), null));
                }
            } else {
                annotated.put(place, all);
            }
        }
    }

    private boolean gone(Place place) {
        return place.queue.deleted() || shard.outcomes().gone(place.queue, place.key);
    }

    /** How many messages have some in the log. For tests. */
    int recorded() {
        return store.meta().subMap(PREFIX, END).size();
    }

    /** @param key of {@link Held#key} */
    private record Place(MessageQueue queue, long key) {}
}
