/**
 * What the session core needs of a transport: sessions, senders, receivers, outcomes, transactions. Close to AMQP 1.0's
 * own terms, for that is where they come from; a transport inside the JVM answers the same calls without any bytes.
 *
 * <p>Thread: every method may be called from any thread and returns at once. Stages complete, and listeners are called,
 * on the transport's thread: who listens hands over and returns. Calls of one thread on one session take effect in their
 * order. Stages fail with {@link jakarta.jms.JMSException} of the kind that the application shall see.
 *
 * <p>May be imported by: the session core, the transports, and the launcher, which provides {@code vm:}.
 */
@NullMarked
package io.mainstem.jms.link;

import org.jspecify.annotations.NullMarked;
