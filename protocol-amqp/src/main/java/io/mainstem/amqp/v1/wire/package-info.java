/**
 * AMQP 1.0 on the wire: frames and performatives, without any state of connections, sessions or links. Frames that come
 * once per message (transfer, disposition, flow) are read and written here by hand into reused holders; all others go
 * through proton-j's codec.
 *
 * <p>Thread: the connection's event loop.
 *
 * <p>May be imported by: {@code io.mainstem.amqp.v1}.
 */
@NullMarked
package io.mainstem.amqp.v1.wire;

import org.jspecify.annotations.NullMarked;
