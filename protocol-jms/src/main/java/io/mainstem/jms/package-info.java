/**
 * The Jakarta Messaging 3.1 provider: factories, connections, sessions, producers, consumers, contexts, as applications
 * call them.
 *
 * <p>The work is done by one session core, {@link io.mainstem.jms.session}; what moves bytes is behind {@link
 * io.mainstem.jms.link}. A connection factory is the way in, the rest is package-private.
 *
 * <p>Thread: as the specification says: a connection is for all threads, a session and what it made for one at a time
 * (close excepted). Deliveries come on the transport's thread and are handed to the session's own.
 *
 * <p>May be imported by: applications. Imports no module of the broker.
 */
@NullMarked
package io.mainstem.jms;

import org.jspecify.annotations.NullMarked;
