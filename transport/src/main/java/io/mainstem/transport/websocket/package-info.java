/**
 * Protocols inside WebSocket (RFC 6455), chosen by subprotocol: the AMQP WebSocket binding, MQTT section 6.
 *
 * <p>Thread: the connection's event loop.
 *
 * <p>May be imported by: the launcher.
 */
@NullMarked
package io.mainstem.transport.websocket;

import org.jspecify.annotations.NullMarked;
