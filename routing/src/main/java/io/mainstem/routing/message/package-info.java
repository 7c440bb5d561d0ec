/**
 * The canonical message: an envelope and the AMQP 1.0 sections, stored as published.
 *
 * <p>Thread: any; everything here is immutable.
 *
 * <p>May be imported by: all of {@code routing}, protocol heads and the launcher.
 */
@NullMarked
package io.mainstem.routing.message;

import org.jspecify.annotations.NullMarked;
