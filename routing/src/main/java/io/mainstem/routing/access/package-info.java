/**
 * Who may do what: rules of users, and their decision for one session. Rules are data, made by whoever reads the users
 * file; nothing here knows files.
 *
 * <p>Thread: rules and policies are immutable; {@code Permissions} belongs to the event loop of its session.
 *
 * <p>May be imported by: routing, and the launcher.
 */
@NullMarked
package io.mainstem.routing.access;

import org.jspecify.annotations.NullMarked;
