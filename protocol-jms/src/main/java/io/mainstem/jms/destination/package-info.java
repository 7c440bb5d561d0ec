/**
 * Queues, topics and their temporary kinds.
 *
 * <p>Thread: values, immutable, except that a temporary destination knows the connection that owns it.
 *
 * <p>May be imported by: every package of the provider.
 */
@NullMarked
package io.mainstem.jms.destination;

import org.jspecify.annotations.NullMarked;
