/**
 * This broker and ActiveMQ Artemis as child JVMs, driven by the same client in the same run.
 *
 * <p>Thread: one, beside the load's own.
 *
 * <p>May be imported by: {@code scale} and the bench command.
 */
@NullMarked
package io.mainstem.benchmarks.peers;

import org.jspecify.annotations.NullMarked;
