/**
 * What the disk alone can do: the yardstick of the other figures.
 *
 * <p>Thread: one.
 *
 * <p>May be imported by: {@code store}, {@code peers} and the bench command.
 */
@NullMarked
package io.mainstem.benchmarks.disk;

import org.jspecify.annotations.NullMarked;
