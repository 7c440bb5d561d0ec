package io.mainstem.routing.dedup;

import io.mainstem.routing.topology.VirtualHosts;
import io.mainstem.store.MarkedBits;
import io.mainstem.store.MetaMark;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What one user of a virtual host has published. Of a producer the last {@link Producer#BLOCKS_MAX} blocks of sequences
 * are known. Thread: shard.
 */
final class Window {
    /** Longer producer ids stand as their digest. */
    private static final int PRODUCER_KEY_MAX = 128;
    /** A producer with its blocks takes the room of so many names. */
    static final int PRODUCER_WEIGHT = 8;
    /** Each step is about a microsecond. */
    private static final int FORGOTTEN_AT_ONCE = 64;

    private final DedupLimits limits;
    private final String producersKey;
    private final String namesKey;
    /** By encoded id, least recently used first. */
    private final Map<String, Producer> producers = new LinkedHashMap<>();
    /** By digest: when it was published, oldest first. */
    private final Map<String, Long> names = new LinkedHashMap<>();

    private final Forgetting forgetting;
    private final Consumer<Window> whenGrown;
    private final String key;
    /** Those that have not ended. */
    private int claims;
    /** Kept by {@link Shares}. */
    int listedWeight;

    /**
     * @param key common beginning of its keys, with a slash at the end
     * @param whenGrown told when it knows more
     */
    Window(String key, DedupLimits limits, Forgetting forgetting, Consumer<Window> whenGrown) {
        this.limits = limits;
        this.forgetting = forgetting;
        this.whenGrown = whenGrown;
        this.key = key;
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
        Claim known = forgetting.underWay(mark);
        if (known != null) {
            return new Verdict.UnderWay(known);
        }
        Claim claim = new Claim(this, mark, deletesMax);
        forgetting.begun(mark, claim);
        claims++;
        return new Verdict.New(claim);
    }

    List<String> takeForgotten(int max) {
        return forgetting.take(max);
    }

    private void ended(MetaMark mark) {
        forgetting.ended(mark);
        claims--;
    }

    /** In the log; only now may it take the place of others, whose deletion stands behind it. */
    void stored(MetaMark mark) {
        ended(mark);
        forgetting.remember(mark.key());
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
                forgetting.forget(blockKey(encoded, gone));
            }
        }
        whenGrown.accept(this);
    }

    void failed(MetaMark mark, List<String> notDeleted) {
        ended(mark);
        forgetting.notDeleted(notDeleted);
    }

    /** True if what one of its keys holds is known here. */
    boolean knows(String itsKey) {
        if (itsKey.startsWith(namesKey)) {
            return names.containsKey(itsKey.substring(namesKey.length()));
        }
        String rest = itsKey.substring(producersKey.length());
        int slash = rest.indexOf('/');
        Producer producer = producers.get(rest.substring(0, slash));
        return producer != null && producer.knows(Long.parseUnsignedLong(rest.substring(slash + 1), 16));
    }

    /** Common beginning of its keys. */
    String key() {
        return key;
    }

    /** True if nothing is known here and nothing is about to be. */
    boolean idle() {
        return claims == 0 && producers.isEmpty() && names.isEmpty();
    }

    /** What it takes, in names. */
    int weight() {
        return names.size() + PRODUCER_WEIGHT * producers.size();
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

    /** What is too old, or too much, but not all of it at once. */
    void forgetOverdue(long nowMs) {
        int left = FORGOTTEN_AT_ONCE;
        for (Long used = oldestProducerMs(); used != null && left > 0; used = oldestProducerMs(), left--) {
            if (producers.size() <= limits.producersMax() && used + limits.ageMs() >= nowMs) {
                break;
            }
            forgetProducer();
        }
        for (Long at = oldestNameMs(); at != null && left > 0; at = oldestNameMs(), left--) {
            if (names.size() <= limits.namesMax() && at + limits.ageMs() >= nowMs) {
                break;
            }
            forgetName();
        }
    }

    /** Whatever was used longest ago. */
    void forgetOldest() {
        Long producerMs = oldestProducerMs();
        Long nameMs = oldestNameMs();
        if (producerMs != null && (nameMs == null || producerMs <= nameMs)) {
            forgetProducer();
        } else if (nameMs != null) {
            forgetName();
        }
    }

    private @Nullable Long oldestProducerMs() {
        return producers.isEmpty() ? null : producers.values().iterator().next().usedMs;
    }

    private @Nullable Long oldestNameMs() {
        return names.isEmpty() ? null : names.values().iterator().next();
    }

    private void forgetProducer() {
        Iterator<Map.Entry<String, Producer>> oldest = producers.entrySet().iterator();
        Map.Entry<String, Producer> gone = oldest.next();
        oldest.remove();
        for (long block : gone.getValue().blocks()) {
            forgetting.forget(blockKey(gone.getKey(), block));
        }
    }

    private void forgetName() {
        Iterator<String> oldest = names.keySet().iterator();
        String gone = oldest.next();
        oldest.remove();
        forgetting.forget(namesKey + gone);
    }

    private String blockKey(String encodedProducer, long block) {
        return producersKey + encodedProducer + "/" + String.format("%016x", block);
    }
}
