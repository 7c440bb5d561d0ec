/**
 * The exceptions of the client, and the one place that waits for answers of the broker.
 *
 * <p>Thread: any; nobody waits on the transport's.
 *
 * <p>May be imported by: the API forms and the session core.
 */
@NullMarked
package io.mainstem.jms.error;

import org.jspecify.annotations.NullMarked;
