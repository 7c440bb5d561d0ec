package io.mainstem.routing.queue;

import io.mainstem.routing.message.BinaryReader;
import io.mainstem.routing.message.BinaryWriter;
import io.mainstem.routing.message.EnvelopeCodec;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.MessageBody;
import io.mainstem.routing.topology.VirtualHosts;
import io.mainstem.store.MetaChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
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
final class RetainedMessages {
    private static final String EXCHANGE = "amq.topic";
    private static final int VERSION = 1;

    private final ConcurrentNavigableMap<String, byte[]> byKey = new ConcurrentSkipListMap<>();

    /** What the log knows. */
    static RetainedMessages restore(String virtualHost, SortedMap<String, byte[]> meta) {
        RetainedMessages retained = new RetainedMessages();
        String prefix = VirtualHosts.retained(virtualHost);
        for (byte[] value : meta.subMap(prefix, prefix + Character.MAX_VALUE).values()) {
            retained.byKey.put(decode(value).envelope().routingKey(), value);
        }
        return retained;
    }

    /** What a publish changes: null if it is not to be retained; a value of null deletes, as an empty body asks. */
    static @Nullable MetaChange change(String virtualHost, Message message) {
        if (!message.envelope().retain() || !message.envelope().exchange().equals(EXCHANGE)) {
            return null;
        }
        String key = VirtualHosts.retained(virtualHost, message.envelope().routingKey());
        return new MetaChange(key, isEmpty(message) ? null : encode(message));
    }

    private static boolean isEmpty(Message message) {
        return message.envelope().offsets().body() < 0
                || MessageBody.read(message).data().length == 0;
    }

    /** The change is on disk. Thread: shard. */
    void applied(String key, byte @Nullable [] value) {
        if (value == null) {
            byKey.remove(key);
        } else {
            byKey.put(key, value);
        }
    }

    /**
     * All that are not expired, in the order of their keys.
     *
     * @param prefix their keys begin with it
     */
    void forEach(String prefix, Predicate<String> wanted, long nowMs, Consumer<Message> found) {
        for (Map.Entry<String, byte[]> entry :
                byKey.subMap(prefix, prefix + Character.MAX_VALUE).entrySet()) {
            if (wanted.test(entry.getKey())) {
                Message message = decode(entry.getValue());
                long expireAtMs = message.envelope().expireAtMs();
                if (expireAtMs == 0 || expireAtMs > nowMs) {
                    found.accept(message);
                }
            }
        }
    }

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
