/**
 * The durable-log contract: records in, a position out, and a promise about the disk.
 *
 * <p>Thread: stated on each type; appends come from any thread, one writer orders them.
 *
 * <p>May be imported by: {@code store.*}, {@code routing} and the launcher. Knows bytes, records, lanes and cursors;
 * no protocol, no exchange.
 */
@NullMarked
package io.mainstem.store;

import org.jspecify.annotations.NullMarked;
