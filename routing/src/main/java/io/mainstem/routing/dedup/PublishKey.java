package io.mainstem.routing.dedup;

import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.PublishId;
import io.mainstem.routing.topology.VirtualHosts;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A publish id as it is remembered: with whose it is, and without the message it belongs to. Immutable; thread: any.
 */
public sealed interface PublishKey {
    /** Common beginning of the keys of its user, see {@link VirtualHosts#published}. */
    String owner();

    /** One of a producer's messages. */
    record Sequence(String owner, String producer, long sequence) implements PublishKey {}

    /** @param digest of the name and the address, which tells it apart from the same name elsewhere */
    record Name(String owner, String digest) implements PublishKey {}

    /**
     * The key of a message.
     *
     * @param user who publishes, or null
     * @param address exchange and routing key
     */
    static PublishKey of(String virtualHost, @Nullable String user, PublishId id, Envelope address) {
        String owner = VirtualHosts.published(virtualHost, user);
        if (id instanceof PublishId.Sequence sequence) {
            return new Sequence(owner, sequence.producer(), sequence.sequence());
        }
        return new Name(owner, Digest.of(((PublishId.Name) id).name(), address));
    }

    /** Of names. */
    final class Digest {
        private static final int BYTES = 16;

        private Digest() {}

        private static String of(String name, Envelope address) {
            try {
                MessageDigest digest = MessageDigest.getInstance("SHA-256");
                for (String part : List.of(address.exchange(), address.routingKey())) {
                    byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
                    digest.update((bytes.length + ":").getBytes(StandardCharsets.US_ASCII));
                    digest.update(bytes);
                }
                return HexFormat.of().formatHex(digest.digest(name.getBytes(StandardCharsets.UTF_8)), 0, BYTES);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java platform has SHA-256", e);
            }
        }
    }
}
