/**
 * Wiring and life cycle: configuration, the {@code mainstem} command, embedded mode. No broker logic.
 *
 * <p>Thread: the thread that starts or stops the broker.
 *
 * <p>May be imported by: conformance tests, benchmarks and embedding programs.
 */
@NullMarked
package io.mainstem.launcher;

import org.jspecify.annotations.NullMarked;
