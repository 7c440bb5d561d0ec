/**
 * Jakarta Messaging over AMQP 1.0: qpid-proton-j's engine on Netty, over TCP, TLS and WebSocket.
 *
 * <p>Thread: an engine and all that belongs to it is touched by the event loop of its connection only.
 *
 * <p>May be imported by: the session core, which knows {@link io.mainstem.jms.amqp.AmqpTransport} only.
 */
@NullMarked
package io.mainstem.jms.amqp;

import org.jspecify.annotations.NullMarked;
