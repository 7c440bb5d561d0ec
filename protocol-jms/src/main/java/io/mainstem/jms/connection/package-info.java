/**
 * What all sessions of a connection share: its way to the broker, its failure and who is told of it, its temporary
 * destinations, its subscriptions in use, and the threads that call the application.
 *
 * <p>Thread: any.
 *
 * <p>May be imported by: the session core and the API forms.
 */
@NullMarked
package io.mainstem.jms.connection;

import org.jspecify.annotations.NullMarked;
