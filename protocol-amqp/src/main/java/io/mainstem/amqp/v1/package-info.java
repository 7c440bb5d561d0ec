/**
 * The AMQP 1.0 head: engine state, addresses, message mapping.
 *
 * <p>Thread: the connection's event loop.
 *
 * <p>May be imported by: the launcher only; a head never imports another head.
 */
@NullMarked
package io.mainstem.amqp.v1;

import org.jspecify.annotations.NullMarked;
