/**
 * All message types, and how they become AMQP sections and come back.
 *
 * <p>Thread: a message belongs to one thread at a time, as the specification has it; {@link
 * io.mainstem.jms.message.EncodedMessage} is immutable and goes between threads.
 *
 * <p>May be imported by: the session core. Knows nothing of sessions and transports.
 */
@NullMarked
package io.mainstem.jms.message;

import org.jspecify.annotations.NullMarked;
