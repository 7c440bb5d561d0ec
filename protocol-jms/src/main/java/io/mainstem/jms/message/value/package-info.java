/**
 * Values of messages: the conversions that Jakarta Messaging allows, properties and the rules of their names, and what
 * people are told when a value, a name or a body does not fit.
 *
 * <p>Thread: that of the message.
 *
 * <p>May be imported by: {@code io.mainstem.jms.message} and {@code io.mainstem.jms.message.section}.
 */
@NullMarked
package io.mainstem.jms.message.value;

import org.jspecify.annotations.NullMarked;
