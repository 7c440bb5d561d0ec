/**
 * Ties log, lanes, metadata and checkpoints into one store: {@link io.mainstem.store.shard.LocalShardStore}.
 *
 * <p>Thread: the shard that owns the store, except where a type says otherwise.
 *
 * <p>May be imported by: the launcher and benchmarks.
 */
@NullMarked
package io.mainstem.store.shard;

import org.jspecify.annotations.NullMarked;
