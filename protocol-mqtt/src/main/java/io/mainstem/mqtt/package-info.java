/**
 * The MQTT head: 3.1, 3.1.1 and 5.0. Sessions, subscriptions, packet ids, message mapping.
 *
 * <p>Thread: the connection's event loop, except {@link io.mainstem.mqtt.Sessions}, which has a thread of its own.
 *
 * <p>May be imported by: the launcher only; a head never imports another head.
 */
@NullMarked
package io.mainstem.mqtt;

import org.jspecify.annotations.NullMarked;
