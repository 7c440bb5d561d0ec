/**
 * The store alone, without broker and protocol.
 *
 * <p>Thread: stated on each type.
 *
 * <p>May be imported by: the bench command.
 */
@NullMarked
package io.mainstem.benchmarks.store;

import org.jspecify.annotations.NullMarked;
