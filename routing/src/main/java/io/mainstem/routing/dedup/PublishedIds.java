package io.mainstem.routing.dedup;

import io.mainstem.routing.topology.VirtualHosts;
import io.mainstem.store.MarkedBits;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * Which messages are stored already, by the ids their publishers gave them. What is here is a view of the store's
 * metadata, where each id is marked in the group of its message. Thread: shard.
 */
public final class PublishedIds {
    /** What is forgotten is deleted with later publishes, so many with each. */
    private static final int DELETES_ALONE = 4;

    private static final String END = VirtualHosts.PUBLISHED.replace('/', '0');

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

    /** Asks for a publish that is about to be stored. */
    public Verdict ask(PublishKey key, long nowMs) {
        return window(key.owner()).ask(key, nowMs, DELETES_ALONE);
    }

    /**
     * As {@link #ask}, for one of maybe thousands whose group is one. A claim forgets one other then, as many as are made:
     * with what a whole day has left to be forgotten the group would not fit the log, and what is prepared must commit.
     */
    public Verdict askOfMany(PublishKey key, long nowMs) {
        return window(key.owner()).ask(key, nowMs, 1);
    }

    private Window window(String key) {
        return windows.computeIfAbsent(key, made -> new Window(made, limits));
    }

    /** Producers and names that are remembered. For tests. */
    public int size() {
        return windows.values().stream().mapToInt(Window::size).sum();
    }
}
