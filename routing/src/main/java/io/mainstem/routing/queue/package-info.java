/**
 * Order, credit and settlement: queues, consumers, deliveries and their outcomes.
 *
 * <p>Thread: the shard thread only; others talk to it by message.
 *
 * <p>May be imported by: {@code routing} and the launcher.
 */
@NullMarked
package io.mainstem.routing.queue;

import org.jspecify.annotations.NullMarked;
