/**
 * The node {@code /management}: requests and responses of HTTP over AMQP as RabbitMQ's AMQP 1.0 clients make them
 * [mapping 5], and list requests of our own. Knows no links and no frames.
 *
 * <p>Thread: the event loop of the connection that asks.
 *
 * <p>May be imported by: the AMQP 1.0 head.
 */
@NullMarked
package io.mainstem.amqp.v1.management;

import org.jspecify.annotations.NullMarked;
