/**
 * Jakarta Messaging over AMQP 1.0: connections, sessions, links and transactions of proton-j's engine.
 *
 * <p>Thread: an engine and all that belongs to it is touched by the event loop of its connection only.
 *
 * <p>May be imported by: the session core, which knows {@link io.mainstem.jms.amqp.AmqpTransport} only.
 */
@NullMarked
package io.mainstem.jms.amqp;

import org.jspecify.annotations.NullMarked;
