/**
 * Atomic images of state, so that recovery replays only the tail of the log.
 *
 * <p>Thread: written by one background thread from an immutable image; read at start.
 *
 * <p>May be imported by: {@code store.*} and the launcher.
 */
@NullMarked
package io.mainstem.store.checkpoint;

import org.jspecify.annotations.NullMarked;
