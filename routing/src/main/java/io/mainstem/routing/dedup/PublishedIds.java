package io.mainstem.routing.dedup;

import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.message.PublishId;
import io.mainstem.routing.topology.VirtualHosts;
import io.mainstem.store.MarkedBits;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Which messages are stored already, by the ids their publishers gave them. What is here is a view of the store's
 * metadata, where each id is marked in the group of its message. Thread: shard.
 */
public final class PublishedIds {
    private static final String END = VirtualHosts.PUBLISHED.replace('/', '0');
    private static final int DIGEST_BYTES = 16;

    private final DedupLimits limits;
    /** By the beginning of their keys: one a user and virtual host. */
    private final Map<String, Window> windows = new HashMap<>();

    public PublishedIds(DedupLimits limits) {
        this.limits = limits;
    }

    /** What the store knows. Thread: any, before the shard starts. */
    public void recover(SortedMap<String, byte[]> meta) {
        record Known(String key, MarkedBits value) {}
        List<Known> known = new ArrayList<>();
        meta.subMap(VirtualHosts.PUBLISHED, END)
                .forEach((key, value) -> known.add(new Known(key, MarkedBits.decode(value))));
        known.sort(Comparator.comparingLong(each -> each.value.atMs()));
        known.forEach(each -> window(ownerOf(each.key)).restore(each.key, each.value));
    }

    /** As far as the third slash, that one included. */
    private static String ownerOf(String key) {
        int slash = key.indexOf('/', key.indexOf('/') + 1);
        return key.substring(0, key.indexOf('/', slash + 1) + 1);
    }

    /**
     * Asks for a publish that is about to be stored.
     *
     * @param user who publishes, or null
     * @param address exchange and routing key tell a name apart from the same name elsewhere
     */
    public Verdict ask(String virtualHost, @Nullable String user, PublishId id, Envelope address, long nowMs) {
        return window(VirtualHosts.published(virtualHost, user)).ask(id, digest(id, address), nowMs);
    }

    private Window window(String key) {
        return windows.computeIfAbsent(key, made -> new Window(made, limits));
    }

    /** Producers and names that are remembered. For tests. */
    public int size() {
        return windows.values().stream().mapToInt(Window::size).sum();
    }

    private static String digest(PublishId id, Envelope address) {
        if (!(id instanceof PublishId.Name name)) {
            return "";
        }
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (String part : List.of(address.exchange(), address.routingKey())) {
                byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
                digest.update((bytes.length + ":").getBytes(StandardCharsets.US_ASCII));
                digest.update(bytes);
            }
            byte[] all = digest.digest(name.name().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(all, 0, DIGEST_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
