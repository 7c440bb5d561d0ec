package io.mainstem.store.shard;

import io.mainstem.store.MarkedBits;
import io.mainstem.store.MetaChange;
import io.mainstem.store.MetaMark;
import io.mainstem.store.RecordBody;
import java.util.Collections;
import java.util.HashSet;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The metadata: last put wins. Folding a stretch of the log again from any earlier point ends in the same image, so no
 * LSN is kept per key.
 *
 * <p>Thread: shard only.
 */
final class MetaImage {
    private final TreeMap<String, byte[]> entries = new TreeMap<>();
    private final NavigableMap<String, byte[]> readOnly = Collections.unmodifiableNavigableMap(entries);
    private Set<String> dirty = new HashSet<>();

    NavigableMap<String, byte[]> entries() {
        return readOnly;
    }

    void fold(RecordBody.Meta meta) {
        for (MetaChange change : meta.changes()) {
            byte[] value = change.value();
            if (value == null) {
                entries.remove(change.key());
            } else {
                entries.put(change.key(), value);
            }
            dirty.add(change.key());
        }
    }

    /** A mark only adds: folding it again over what it led to changes nothing. */
    void fold(RecordBody.Dedup dedup) {
        for (MetaMark mark : dedup.marks()) {
            entries.put(mark.key(), MarkedBits.with(entries.get(mark.key()), mark));
            dirty.add(mark.key());
        }
    }

    void restore(String key, byte[] value) {
        entries.put(key, value);
    }

    byte @Nullable [] value(String key) {
        return entries.get(key);
    }

    boolean hasDirty() {
        return !dirty.isEmpty();
    }

    /** Keys changed since the last call. */
    Set<String> takeDirty() {
        Set<String> taken = dirty;
        dirty = new HashSet<>();
        return taken;
    }

    /** Makes all keys dirty: the next checkpoint has to tell them without the one before. */
    void markAllDirty() {
        dirty.addAll(entries().keySet());
    }

    /** Gives keys back that {@link #takeDirty} took, because their checkpoint failed. */
    void markDirty(Set<String> keys) {
        dirty.addAll(keys);
    }
}
