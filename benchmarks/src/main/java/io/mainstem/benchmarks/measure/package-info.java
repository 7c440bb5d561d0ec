/**
 * What every benchmark needs: latencies, tables, CPU time of a process, child JVMs.
 *
 * <p>Thread: stated on each type.
 *
 * <p>May be imported by: all of {@code benchmarks}. Imports none of them.
 */
@NullMarked
package io.mainstem.benchmarks.measure;

import org.jspecify.annotations.NullMarked;
