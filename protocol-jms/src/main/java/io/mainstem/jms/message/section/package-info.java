/**
 * Messages as AMQP 1.0 has them: sections, values, identifiers and annotations, and what of a received message is decoded
 * when it is asked for.
 *
 * <p>Thread: any; a received body or property belongs to the thread of its message.
 *
 * <p>May be imported by: {@code io.mainstem.jms.message}, and the transport for its buffer.
 */
@NullMarked
package io.mainstem.jms.message.section;

import org.jspecify.annotations.NullMarked;
