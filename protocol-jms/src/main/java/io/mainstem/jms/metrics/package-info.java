/**
 * What a connection factory's connections have done: counters that always count, and their way into Micrometer for
 * applications that have it (ADR 0032).
 */
@NullMarked
package io.mainstem.jms.metrics;

import org.jspecify.annotations.NullMarked;
