/**
 * HiveMQ CE as a child JVM, for comparison.
 *
 * <p>Thread: one.
 *
 * <p>May be imported by: nobody; the bench command starts its main class.
 */
package io.mainstem.benchmarks.hivemq;
