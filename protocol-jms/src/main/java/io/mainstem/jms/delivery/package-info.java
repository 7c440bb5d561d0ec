/**
 * The way of messages from the transport to the application: what waits for each consumer, who gets the next one, and how
 * it is acknowledged.
 *
 * <p>Thread: deliveries come on the transport's thread and are handed over on the session's; one lock a session, in {@link
 * io.mainstem.jms.delivery.Deliveries}, guards all of it. Nothing waits for the broker and no application is called under
 * it.
 *
 * <p>May be imported by: the session core and the API forms.
 */
@NullMarked
package io.mainstem.jms.delivery;

import org.jspecify.annotations.NullMarked;
