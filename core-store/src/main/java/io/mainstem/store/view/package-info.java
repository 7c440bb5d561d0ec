/**
 * Consume queues as views of the log: lanes of entries, and cursors with acknowledgement state.
 *
 * <p>Thread: the shard that owns the view; nothing here is locked.
 *
 * <p>May be imported by: {@code routing.queue} and the launcher.
 */
@NullMarked
package io.mainstem.store.view;

import org.jspecify.annotations.NullMarked;
