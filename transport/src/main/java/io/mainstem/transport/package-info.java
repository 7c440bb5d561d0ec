/**
 * Sockets: listeners, TLS, SASL, protocol detection and limits. Knows Netty and nothing else of ours.
 *
 * <p>Thread: the connection's event loop.
 *
 * <p>May be imported by: protocol heads and the launcher.
 */
@NullMarked
package io.mainstem.transport;

import org.jspecify.annotations.NullMarked;
