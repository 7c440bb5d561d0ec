/**
 * A connection that outlives the loss of its brokers: {@code failover:(...)}. Wraps another transport; sessions, senders
 * and receivers are made again on the next connection, and what was sent without an answer is sent again.
 *
 * <p>Thread: any. Fields that calls and the transport's thread share are under the monitor of their object; listeners and
 * stages are never completed under one.
 *
 * <p>May be imported by: the session core.
 */
@NullMarked
package io.mainstem.jms.failover;

import org.jspecify.annotations.NullMarked;
