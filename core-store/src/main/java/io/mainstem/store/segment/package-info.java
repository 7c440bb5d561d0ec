/**
 * The bytes of one log on disk: segments, batches, syncing, and reopening after a crash.
 *
 * <p>Thread: the log's writer and syncer threads.
 *
 * <p>May be imported by: {@code store} wiring and the launcher only.
 */
@NullMarked
package io.mainstem.store.segment;

import org.jspecify.annotations.NullMarked;
