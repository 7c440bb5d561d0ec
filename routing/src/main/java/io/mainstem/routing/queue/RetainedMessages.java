package io.mainstem.routing.queue;

import io.mainstem.routing.RetainedTopics;
import io.mainstem.routing.TemporaryNames;
import io.mainstem.routing.message.BinaryReader;
import io.mainstem.routing.message.BinaryWriter;
import io.mainstem.routing.message.EnvelopeCodec;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.MessageBody;
import io.mainstem.routing.topology.VirtualHosts;
import io.mainstem.store.Durability;
import io.mainstem.store.Frames;
import io.mainstem.store.MetaChange;
import io.mainstem.store.ShardStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.ObjLongConsumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The retained messages of one virtual host [S-10]: the last message that was published to a key of {@code amq.topic}
 * with the retain flag, whatever its protocol. They lie in the store's metadata and are kept with the publish itself.
 *
 * <p>Thread: any for reading; the shard changes it when a publish is on disk.
 *
 * <pre>
 *  value: u8 version = 1, blob envelope, varint n, n x blob piece of the sections
 * </pre>
 */
final class RetainedMessages implements RetainedTopics {
    private static final String EXCHANGE = "amq.topic";
    private static final int VERSION = 1;
    /** What one takes beside key and value: nodes of this map and of the store's image. */
    private static final int OVERHEAD_BYTES = 256;
    /** Keys that are looked at for each that may be found. */
    private static final int LOOKS_EACH = 32;

    private final String virtualHost;
    private final ShardStore store;
    private final ConcurrentNavigableMap<String, Kept> byKey = new ConcurrentSkipListMap<>();
    /** Publishes on their way to the log, by key: none of them may be followed there by an expiry decided before. */
    private final ConcurrentHashMap<String, Integer> underWay = new ConcurrentHashMap<>();

    private final RetainedUnderWay publishes = new RetainedUnderWay();

    private final RetainedRoom room = new RetainedRoom();

    /**
     * One retained message.
     *
     * @param value the bytes of the store's own image, which are not to be on the heap twice
     * @param expireAtMs 0 = never
     * @param number of the publish, see {@link RetainedUnderWay}; 0 = of an earlier run
     */
    private record Kept(byte[] value, long expireAtMs, long number) {
        boolean expired(long nowMs) {
            return expireAtMs != 0 && expireAtMs <= nowMs;
        }

        /** What tells it from others of its key, after a restart too. */
        long version() {
            CRC32C bytes = new CRC32C();
            bytes.update(value);
            return (long) value.length << 32 | bytes.getValue();
        }
    }

    RetainedMessages(String virtualHost, ShardStore store) {
        this.virtualHost = virtualHost;
        this.store = store;
    }

    /** What the log knows. */
    static RetainedMessages restore(String virtualHost, ShardStore store) {
        RetainedMessages retained = new RetainedMessages(virtualHost, store);
        SortedMap<String, byte[]> meta = store.meta();
        String prefix = VirtualHosts.retained(virtualHost);
        for (byte[] value : meta.subMap(prefix, prefix + Character.MAX_VALUE).values()) {
            Message message = decode(value);
            String key = message.envelope().routingKey();
            // Temporary topics retain nothing: what an earlier version kept there goes.
            long expireAtMs =
                    TemporaryNames.isTopic(key) ? 1 : message.envelope().expireAtMs();
            retained.put(key, new Kept(value, expireAtMs, 0));
        }
        return retained;
    }

    // ---- publishing -------------------------------------------------------------------------------------------

    /** A publish is about to be routed; null if it changes nothing here. */
    @Nullable
    RetainedChange begin(Message message) {
        String key = message.envelope().routingKey();
        if (!message.envelope().retain()
                || !message.envelope().exchange().equals(EXCHANGE)
                || TemporaryNames.isTopic(key)) {
            return null;
        }
        underWay.merge(key, 1, Integer::sum);
        return new RetainedChange(this, message, publishes.begin());
    }

    /** What is to be written with the publish; null deletes. */
    MetaChange meta(Message message) {
        String key = message.envelope().routingKey();
        return new MetaChange(VirtualHosts.retained(virtualHost, key), isEmpty(message) ? null : encode(message));
    }

    /** Room for a value of the key, until the publish is over. */
    RetainedChange.Taken take(String key, byte[] value) {
        Kept before = byKey.get(key);
        long more = bytesOf(key, value.length) - (before == null ? 0 : bytesOf(key, before.value().length));
        RetainedChange.Taken taken = new RetainedChange.Taken(before == null ? 1 : 0, Math.max(0, more));
        room.take(taken.messages(), taken.bytes());
        return taken;
    }

    private static boolean isEmpty(Message message) {
        return message.envelope().offsets().body() < 0
                || MessageBody.read(message).data().length == 0;
    }

    private static long bytesOf(String key, int valueBytes) {
        return OVERHEAD_BYTES + 2L * key.length() + valueBytes;
    }

    /** The change is on disk and folded. Thread: shard. */
    void applied(RetainedChange change) {
        MetaChange meta = change.meta();
        byte[] value = meta.value() == null ? null : store.meta().get(meta.key());
        long expireAtMs = change.message().envelope().expireAtMs();
        put(
                change.message().envelope().routingKey(),
                value == null ? null : new Kept(value, expireAtMs, change.number()));
    }

    /** The publish is over, well or not. */
    void ended(RetainedChange change) {
        underWay.computeIfPresent(
                change.message().envelope().routingKey(),
                (same, under) -> under == 1 ? null : Integer.valueOf(under - 1));
        room.giveBack(change.taken().messages(), change.taken().bytes());
        publishes.end(change.number());
    }

    private void put(String key, @Nullable Kept kept) {
        Kept before = kept == null ? byKey.remove(key) : byKey.put(key, kept);
        if (before != null) {
            room.changed(-1, -bytesOf(key, before.value().length));
        }
        if (kept != null) {
            room.changed(1, bytesOf(key, kept.value().length));
        }
    }

    // ---- for heads --------------------------------------------------------------------------------------------

    @Override
    public int count() {
        return Math.toIntExact(room.count());
    }

    @Override
    public long bytes() {
        return room.bytes();
    }

    @Override
    public void limit(int newCountMax, long newBytesMax) {
        room.limit(newCountMax, newBytesMax);
    }

    @Override
    public CompletionStage<Long> settled(long number) {
        return publishes.settled(number);
    }

    /** The number of the publish that is about to be routed, or was last. */
    long lastBegun() {
        return publishes.last();
    }

    /** The bytes it lies in, or null if none is retained. */
    byte @Nullable [] value(String key) {
        Kept kept = byKey.get(key);
        return kept == null ? null : kept.value();
    }

    @Override
    public boolean isLast(String key, long version) {
        Kept kept = byKey.get(key);
        return kept != null && kept.version() == version;
    }

    @Override
    public @Nullable String page(Look look, String after, int limit, long nowMs, ObjLongConsumer<Message> found) {
        int left = limit;
        int looks = limit * LOOKS_EACH;
        String prefix = look.prefix();
        boolean first = after.compareTo(prefix) < 0;
        for (Map.Entry<String, Kept> entry : byKey.subMap(
                        first ? prefix : after, first, prefix + Character.MAX_VALUE, false)
                .entrySet()) {
            Kept kept = entry.getValue();
            if (kept.number() <= look.settled()
                    && !kept.expired(nowMs)
                    && look.wanted().test(entry.getKey())) {
                found.accept(decode(kept.value()), kept.version());
                left--;
            }
            looks--;
            if (left == 0 || looks == 0) {
                return entry.getKey();
            }
        }
        return null;
    }

    @Override
    public int expire(long nowMs, int max) {
        int gone = 0;
        for (Map.Entry<String, Kept> entry : byKey.entrySet()) {
            if (gone == max) {
                break;
            }
            if (entry.getValue().expired(nowMs) && expire(entry.getKey(), entry.getValue())) {
                gone++;
            }
        }
        return gone;
    }

    /**
     * Not if a publish to the key is under way: the log takes what is submitted in that order. Nor if one has come through
     * since the message was looked at: it is that one which is over, no other.
     */
    private boolean expire(String key, Kept over) {
        boolean[] submitted = new boolean[1];
        underWay.computeIfAbsent(key, same -> {
            Kept now = byKey.get(key);
            if (now != null && now.value() == over.value()) {
                submitted[0] = true;
                store.submit(new Expiry(key));
            }
            return null;
        });
        return submitted[0];
    }

    /** Takes one away. */
    private final class Expiry extends LoggedChange {
        private final String key;

        Expiry(String key) {
            super(
                    List.of(Frames.meta(List.of(new MetaChange(VirtualHosts.retained(virtualHost, key), null)))),
                    Durability.WRITE);
            this.key = key;
        }

        @Override
        public void onApplied() {
            put(key, null);
        }

        @Override
        void refused() {
            // It stays; what is looked at is its time.
        }

        @Override
        void inDoubt() {
            // Likewise.
        }
    }

    // ---- values -----------------------------------------------------------------------------------------------

    private static byte[] encode(Message message) {
        BinaryWriter out = new BinaryWriter((int) message.sectionBytes() + 96).u8(VERSION);
        out.blob(EnvelopeCodec.encode(message.envelope()));
        out.varint(message.sections().size());
        message.sections().forEach(out::blob);
        return out.toByteArray();
    }

    private static Message decode(byte[] value) {
        BinaryReader in = new BinaryReader(value);
        in.number(VERSION);
        var envelope = EnvelopeCodec.decode(in.blob());
        List<byte[]> sections = new ArrayList<>(1);
        for (int pieces = in.count(); pieces > 0; pieces--) {
            sections.add(in.blob());
        }
        in.expectEnd();
        return new Message(envelope, sections);
    }
}
