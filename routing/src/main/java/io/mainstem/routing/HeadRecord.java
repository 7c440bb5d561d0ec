package io.mainstem.routing;

import org.jspecify.annotations.Nullable;

/**
 * A small durable fact of a protocol head, such as a session or a packet id. Heads keep them by key; the broker does not
 * look inside. Records of one head begin with the head's name and a slash; those of a virtual host are its own.
 *
 * @param key ASCII, not empty; on disk, so its form never changes
 * @param value at most a few KiB: all records are held in memory; null deletes
 */
public record HeadRecord(String key, byte @Nullable [] value) {
    public HeadRecord {
        if (key.isEmpty()) {
            throw new IllegalArgumentException("key: empty (expected: at least one character)");
        }
    }

    /** The end of a record. */
    public static HeadRecord delete(String key) {
        return new HeadRecord(key, null);
    }
}
