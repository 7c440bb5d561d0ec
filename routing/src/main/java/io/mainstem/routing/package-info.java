/**
 * What protocol heads call: virtual hosts, sessions, publishing, consuming, access decisions.
 *
 * <p>Thread: stated on each type; event loops hold only ids, credit and immutable snapshots.
 *
 * <p>May be imported by: protocol heads, admin and the launcher. Knows no wire format.
 */
@NullMarked
package io.mainstem.routing;

import org.jspecify.annotations.NullMarked;
