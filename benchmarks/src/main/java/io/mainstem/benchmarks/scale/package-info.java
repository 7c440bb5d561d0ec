/**
 * Many queues, and many messages in one queue.
 *
 * <p>Thread: one, beside the load's own.
 *
 * <p>May be imported by: the bench command.
 */
@NullMarked
package io.mainstem.benchmarks.scale;

import org.jspecify.annotations.NullMarked;
