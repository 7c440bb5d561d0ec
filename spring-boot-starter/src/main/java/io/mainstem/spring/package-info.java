/**
 * A connection factory for Spring Boot applications, made of the {@code mainstem.*} properties.
 *
 * <p>Thread: that of the application context's start.
 *
 * <p>May be imported by: applications; knows the Jakarta Messaging provider, and the launcher if it is there.
 */
@NullMarked
package io.mainstem.spring;

import org.jspecify.annotations.NullMarked;
