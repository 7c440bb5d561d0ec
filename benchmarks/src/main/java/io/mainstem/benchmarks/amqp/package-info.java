/**
 * End-to-end load over AMQP 1.0 against any broker, with a client of its own that costs little.
 *
 * <p>Thread: stated on each type.
 *
 * <p>May be imported by: {@code peers}, {@code scale} and the bench command.
 */
@NullMarked
package io.mainstem.benchmarks.amqp;

import org.jspecify.annotations.NullMarked;
