/**
 * The text of addresses and paths: percent-encoding. Pure; thread: any.
 *
 * <p>May be imported by: the AMQP 1.0 head and its management node.
 */
@NullMarked
package io.mainstem.amqp.v1.address;

import org.jspecify.annotations.NullMarked;
