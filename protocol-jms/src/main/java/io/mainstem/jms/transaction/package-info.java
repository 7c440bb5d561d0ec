/**
 * Transactions of sessions, over the coordinator of a link: local ones, and branches of distributed ones.
 *
 * <p>Thread: that of the session or of the transaction manager.
 *
 * <p>May be imported by: deliveries, the session core and the API forms.
 */
@NullMarked
package io.mainstem.jms.transaction;

import org.jspecify.annotations.NullMarked;
