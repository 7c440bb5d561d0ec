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
    /** By key and bit. */
    private final Map<String, Claim> underWay = new HashMap<>();
    /** Keys that are to be deleted. */
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
        Producer producer = used(encoded, nowMs);
        long block = Producer.block(id.sequence());
        if (producer.has(id.sequence())) {
            return new Verdict.Stored();
        }
        if (block < producer.oldestBlock()) {
            return new Verdict.Forgotten(producer.oldestBlock() * Producer.BLOCK);
        }
        String key = blockKey(encoded, block);
        for (long gone : producer.make(block)) {
            forgotten.add(blockKey(encoded, gone));
        }
        return claim(new MetaMark(key, Producer.bit(id.sequence()), nowMs), deletesMax);
    }

    private Verdict askName(String digest, long nowMs, int deletesMax) {
        return names.containsKey(digest)
                ? new Verdict.Stored()
                : claim(new MetaMark(namesKey + digest, 0, nowMs), deletesMax);
    }

    private Verdict claim(MetaMark mark, int deletesMax) {
        String key = claimKey(mark.key(), mark.bit());
        Claim known = underWay.get(key);
        if (known != null) {
            return new Verdict.UnderWay(known);
        }
        forgotten.remove(mark.key());
        Claim claim = new Claim(this, key, mark, takeForgotten(deletesMax));
        underWay.put(key, claim);
        return new Verdict.New(claim);
    }

    private List<String> takeForgotten(int max) {
        List<String> taken = new ArrayList<>(0);
        Iterator<String> oldest = forgotten.iterator();
        while (oldest.hasNext() && taken.size() < max) {
            taken.add(oldest.next());
            oldest.remove();
        }
        return taken;
    }

    void stored(String claimKey, MetaMark mark) {
        underWay.remove(claimKey);
        if (mark.key().startsWith(namesKey)) {
            String digest = mark.key().substring(namesKey.length());
            names.remove(digest);
            names.put(digest, mark.atMs());
        } else {
            String rest = mark.key().substring(producersKey.length());
            int slash = rest.indexOf('/');
            Producer producer = producers.get(rest.substring(0, slash));
            if (producer != null) {
                producer.stored(Long.parseUnsignedLong(rest.substring(slash + 1), 16), mark.bit());
            }
        }
    }

    void failed(String claimKey, List<String> notDeleted) {
        underWay.remove(claimKey);
        for (String key : notDeleted) {
            if (!inUse(key)) {
                forgotten.add(key);
            }
        }
    }

    /** True if what was to be deleted has been published again meanwhile: deleting it now would forget that. */
    private boolean inUse(String key) {
        if (key.startsWith(namesKey)) {
            return names.containsKey(key.substring(namesKey.length())) || underWay.containsKey(claimKey(key, 0));
        }
        String rest = key.substring(producersKey.length());
        int slash = rest.indexOf('/');
        Producer producer = producers.get(rest.substring(0, slash));
        return producer != null && producer.knows(Long.parseUnsignedLong(rest.substring(slash + 1), 16));
    }

    private static String claimKey(String key, int bit) {
        return key + ":" + bit;
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
