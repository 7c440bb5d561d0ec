/**
 * proton-j's engine on Netty: what moves its bytes and frames, and the way to its event loop.
 *
 * <p>Thread: the event loop of its connection; {@link io.mainstem.jms.amqp.engine.EngineLoop} takes changes from any.
 *
 * <p>May be imported by: {@code io.mainstem.jms.amqp}.
 */
@NullMarked
package io.mainstem.jms.amqp.engine;

import org.jspecify.annotations.NullMarked;
