/**
 * Look-up by name: an initial context that is configured by properties, and the factory of objects that other naming
 * services store as references.
 *
 * <p>Thread: a context is read-only and for all threads.
 *
 * <p>May be imported by: nobody; naming services know the class names.
 */
@NullMarked
package io.mainstem.jms.jndi;

import org.jspecify.annotations.NullMarked;
