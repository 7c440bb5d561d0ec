/**
 * Compact bytes: variable-length integers, deltas and blocks, for record bodies and checkpoints.
 *
 * <p>Thread: a writer or reader belongs to one thread.
 *
 * <p>May be imported by: {@code store.*}. Imports nothing of the store.
 */
@NullMarked
package io.mainstem.store.codec;

import org.jspecify.annotations.NullMarked;
