package io.mainstem.routing.dedup;

import io.mainstem.routing.topology.VirtualHosts;
import io.mainstem.store.MarkedBits;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
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
    /** A publish adds at most a producer, which takes the room of some names. */
    private static final int MADE_ROOM_AT_ONCE = 2 * Window.PRODUCER_WEIGHT;

    private static final String END = VirtualHosts.PUBLISHED.replace('/', '0');

    private final DedupLimits limits;
    private final Forgetting forgetting = new Forgetting(this::isKnown);
    private final Shares shares;
    /** By the beginning of their keys: one a user and virtual host, the one asked longest ago first. */
    private final Map<String, Window> windows = new LinkedHashMap<>(16, 0.75f, true);

    public PublishedIds(DedupLimits limits) {
        this.limits = limits;
        this.shares = new Shares(limits.totalMax());
    }

    /** What the store knows. Thread: any, before the shard starts. */
    public void recover(SortedMap<String, byte[]> meta) {
        record Known(String key, MarkedBits value) {}
        List<Known> known = new ArrayList<>();
        meta.subMap(VirtualHosts.PUBLISHED, END)
                .forEach((key, value) -> known.add(new Known(key, MarkedBits.decode(value))));
        known.sort(Comparator.comparingLong(each -> each.value.atMs()));
        known.forEach(each -> window(ownerOf(each.key)).restore(each.key, each.value));
        windows.values().forEach(shares::changed);
    }

    /** As far as the third slash, that one included. */
    private static String ownerOf(String key) {
        int slash = key.indexOf('/', key.indexOf('/') + 1);
        return key.substring(0, key.indexOf('/', slash + 1) + 1);
    }

    /** Asks for a publish that is about to be stored. */
    public Verdict ask(PublishKey key, long nowMs) {
        return ask(key, nowMs, DELETES_ALONE);
    }

    /**
     * As {@link #ask}, for one of maybe thousands whose group is one. A claim forgets one other then, as many as are made:
     * with what a whole day has left to be forgotten the group would not fit the log, and what is prepared must commit.
     */
    public Verdict askOfMany(PublishKey key, long nowMs) {
        return ask(key, nowMs, 1);
    }

    private Verdict ask(PublishKey key, long nowMs, int deletesMax) {
        Window window = window(key.owner());
        tidyOldest(nowMs);
        Verdict verdict = window.ask(key, nowMs, deletesMax);
        shares.changed(window);
        shares.makeRoom(MADE_ROOM_AT_ONCE);
        return verdict;
    }

    /** Users who publish no more are forgotten by and by, too. */
    private void tidyOldest(long nowMs) {
        Window oldest = windows.values().iterator().next();
        oldest.forgetOverdue(nowMs);
        shares.changed(oldest);
        if (oldest.idle() && windows.size() > 1) {
            windows.remove(oldest.key());
        }
    }

    private Window window(String key) {
        return windows.computeIfAbsent(key, made -> new Window(made, limits, forgetting, shares::changed));
    }

    private boolean isKnown(String key) {
        Window window = windows.get(ownerOf(key));
        return window != null && window.knows(key);
    }

    /** Producers and names that are remembered. For tests. */
    public int size() {
        return windows.values().stream().mapToInt(Window::size).sum();
    }

    /** Users of whom something is remembered. For tests. */
    int users() {
        return windows.size();
    }
}
