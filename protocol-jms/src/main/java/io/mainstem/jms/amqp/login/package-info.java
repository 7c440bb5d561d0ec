/**
 * The client's side of SASL: which mechanism is chosen, and what it says.
 *
 * <p>Thread: the event loop of the connection that logs in; salted passwords are derived on a thread of their own.
 *
 * <p>May be imported by: {@code io.mainstem.jms.amqp}.
 */
@NullMarked
package io.mainstem.jms.amqp.login;

import org.jspecify.annotations.NullMarked;
