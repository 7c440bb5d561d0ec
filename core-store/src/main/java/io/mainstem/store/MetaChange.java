package io.mainstem.store;

import org.jspecify.annotations.Nullable;

/**
 * One put or delete in the metadata image.
 *
 * @param key by convention {@code kind/...}, UTF-8, 1 to 4096 bytes
 * @param value null deletes
 */
public record MetaChange(String key, byte @Nullable [] value) {}
