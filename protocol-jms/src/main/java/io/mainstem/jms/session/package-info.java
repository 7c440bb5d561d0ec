/**
 * The session core: sessions, consumers and producers as objects with a life, whichever API the application calls them by.
 * It alone blocks.
 *
 * <p>Thread: a session and what belongs to it is used by one thread at a time; close, start and stop come from any.
 *
 * <p>May be imported by: the API forms.
 */
@NullMarked
package io.mainstem.jms.session;

import org.jspecify.annotations.NullMarked;
