/**
 * Jakarta Messaging 3.1, clause by clause, against an embedded broker: by our provider over each of its transports, and by
 * Qpid JMS where both must agree.
 *
 * <p>Thread: tests.
 *
 * <p>May be imported by: nobody.
 */
package io.mainstem.conformance.jms;
