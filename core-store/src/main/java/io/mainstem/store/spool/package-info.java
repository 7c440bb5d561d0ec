/**
 * Scratch space on disk for what does not fit in memory and need not survive a restart.
 *
 * <p>Thread: calls come from any thread and are answered on the spool's own.
 *
 * <p>May be imported by: {@code routing.queue} and the launcher.
 */
@NullMarked
package io.mainstem.store.spool;

import org.jspecify.annotations.NullMarked;
