/**
 * Load generator and microbenchmarks, of this broker and of its peers. Off by default.
 *
 * <p>Thread: stated on each type.
 *
 * <p>May be imported by: nothing.
 */
@NullMarked
package io.mainstem.benchmarks;

import org.jspecify.annotations.NullMarked;
