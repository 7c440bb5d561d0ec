/**
 * Brokers in this JVM, which {@code vm://name} reaches.
 *
 * <p>Thread: any.
 *
 * <p>May be imported by: the session core, and by who embeds a broker.
 */
@NullMarked
package io.mainstem.jms.vm;

import org.jspecify.annotations.NullMarked;
