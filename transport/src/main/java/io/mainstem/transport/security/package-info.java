/**
 * Who the other end is: users and their verifiers, SASL mechanisms, and what failed logins cost. Every protocol head asks
 * the one {@code Authenticator}; none of them sees a password twice or a verifier at all.
 *
 * <p>Thread: any; answers come from the threads of the password checks or at once.
 *
 * <p>May be imported by: protocol heads and the launcher.
 */
@NullMarked
package io.mainstem.transport.security;

import org.jspecify.annotations.NullMarked;
