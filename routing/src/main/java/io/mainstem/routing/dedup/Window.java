package io.mainstem.routing.dedup;

import io.mainstem.routing.topology.VirtualHosts;
import io.mainstem.store.MarkedBits;
import io.mainstem.store.MetaMark;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What one user of a virtual host has published. Of a producer the last {@link Producer#BLOCKS_MAX} blocks of sequences
 * are known. Thread: shard.
 */
final class Window {
    /** Longer producer ids stand as their digest. */
    private static final int PRODUCER_KEY_MAX = 128;

    private final DedupLimits limits;
    private final String producersKey;
    private final String namesKey;
    /** By encoded id, least recently used first. */
    private final Map<String, Producer> producers = new LinkedHashMap<>();
    /** By digest: when it was published, oldest first. */
    private final Map<String, Long> names = new LinkedHashMap<>();
    /** By key, and bit. */
    private final Map<String, Map<Integer, Claim>> underWay = new HashMap<>();
    /** Keys that are to be deleted: what they hold is not known here any more, or covered by what is in the log. */
    private final Set<String> forgotten = new LinkedHashSet<>();

    /** @param key common beginning of its keys, with a slash at the end */
    Window(String key, DedupLimits limits) {
        this.limits = limits;
        this.producersKey = key + "p/";
        this.namesKey = key + "i/";
    }

    /** One of its values as the store has it; those used last come last. */
    void restore(String key, MarkedBits value) {
        if (key.startsWith(namesKey)) {
            names.put(key.substring(namesKey.length()), value.atMs());
        } else {
            String rest = key.substring(producersKey.length());
            int slash = rest.indexOf('/');
            String producer = rest.substring(0, slash);
            used(producer, value.atMs()).restore(Long.parseUnsignedLong(rest.substring(slash + 1), 16), value.bits());
        }
    }

    /** @param deletesMax so many that are forgotten go with it */
    Verdict ask(PublishKey key, long nowMs, int deletesMax) {
        forgetOverdue(nowMs);
        return key instanceof PublishKey.Sequence sequence
                ? ask(sequence, nowMs, deletesMax)
                : askName(((PublishKey.Name) key).digest(), nowMs, deletesMax);
    }

    private Verdict ask(PublishKey.Sequence id, long nowMs, int deletesMax) {
        String encoded = VirtualHosts.keyPart(id.producer(), PRODUCER_KEY_MAX);
        long block = Producer.block(id.sequence());
        if (producers.containsKey(encoded)) {
            Producer producer = used(encoded, nowMs);
            if (producer.has(id.sequence())) {
                return new Verdict.Stored();
            }
            if (block < producer.oldestBlock()) {
                return new Verdict.Forgotten(producer.oldestBlock() * Producer.BLOCK);
            }
        }
        return claim(new MetaMark(blockKey(encoded, block), Producer.bit(id.sequence()), nowMs), deletesMax);
    }

    private Verdict askName(String digest, long nowMs, int deletesMax) {
        return names.containsKey(digest)
                ? new Verdict.Stored()
                : claim(new MetaMark(namesKey + digest, 0, nowMs), deletesMax);
    }

    private Verdict claim(MetaMark mark, int deletesMax) {
        Map<Integer, Claim> claims = underWay.computeIfAbsent(mark.key(), key -> new HashMap<>(2));
        Claim known = claims.get(mark.bit());
        if (known != null) {
            return new Verdict.UnderWay(known);
        }
        Claim claim = new Claim(this, mark, deletesMax);
        claims.put(mark.bit(), claim);
        return new Verdict.New(claim);
    }

    /** Some that nobody is about to mark: what is under way may be in the log in front of the deletion. */
    List<String> takeForgotten(int max) {
        List<String> taken = new ArrayList<>(0);
        Iterator<String> oldest = forgotten.iterator();
        while (oldest.hasNext() && taken.size() < max) {
            String key = oldest.next();
            if (!underWay.containsKey(key)) {
                taken.add(key);
                oldest.remove();
            }
        }
        return taken;
    }

    private void ended(MetaMark mark) {
        underWay.computeIfPresent(mark.key(), (key, claims) -> {
            claims.remove(mark.bit());
            return claims.isEmpty() ? null : claims;
        });
    }

    /** In the log; only now may it take the place of others, whose deletion stands behind it. */
    void stored(MetaMark mark) {
        ended(mark);
        forgotten.remove(mark.key());
        if (mark.key().startsWith(namesKey)) {
            String digest = mark.key().substring(namesKey.length());
            names.remove(digest);
            names.put(digest, mark.atMs());
        } else {
            String rest = mark.key().substring(producersKey.length());
            int slash = rest.indexOf('/');
            String encoded = rest.substring(0, slash);
            Producer producer = used(encoded, mark.atMs());
            for (long gone : producer.stored(Long.parseUnsignedLong(rest.substring(slash + 1), 16), mark.bit())) {
                forgotten.add(blockKey(encoded, gone));
            }
        }
    }

    void failed(MetaMark mark, List<String> notDeleted) {
        ended(mark);
        for (String key : notDeleted) {
            if (!inUse(key)) {
                forgotten.add(key);
            }
        }
    }

    /** True if what was to be deleted has been published again meanwhile: deleting it now would forget that. */
    private boolean inUse(String key) {
        if (key.startsWith(namesKey)) {
            return names.containsKey(key.substring(namesKey.length()));
        }
        String rest = key.substring(producersKey.length());
        int slash = rest.indexOf('/');
        Producer producer = producers.get(rest.substring(0, slash));
        return producer != null && producer.knows(Long.parseUnsignedLong(rest.substring(slash + 1), 16));
    }

    /** Producers and names that are remembered, for tests. */
    int size() {
        return producers.size() + names.size();
    }

    private Producer used(String encoded, long nowMs) {
        @Nullable Producer known = producers.remove(encoded);
        Producer producer = known == null ? new Producer() : known;
        producer.usedMs = Math.max(producer.usedMs, nowMs);
        producers.put(encoded, producer);
        return producer;
    }

    private void forgetOverdue(long nowMs) {
        Iterator<Map.Entry<String, Producer>> producer = producers.entrySet().iterator();
        while (producer.hasNext()) {
            Map.Entry<String, Producer> eldest = producer.next();
            if (producers.size() <= limits.producersMax() && eldest.getValue().usedMs + limits.ageMs() >= nowMs) {
                break;
            }
            producer.remove();
            for (long block : eldest.getValue().blocks()) {
                forgotten.add(blockKey(eldest.getKey(), block));
            }
        }
        Iterator<Map.Entry<String, Long>> name = names.entrySet().iterator();
        while (name.hasNext()) {
            Map.Entry<String, Long> eldest = name.next();
            if (names.size() <= limits.namesMax() && eldest.getValue() + limits.ageMs() >= nowMs) {
                break;
            }
            name.remove();
            forgotten.add(namesKey + eldest.getKey());
        }
    }

    private String blockKey(String encodedProducer, long block) {
        return producersKey + encodedProducer + "/" + String.format("%016x", block);
    }
}
