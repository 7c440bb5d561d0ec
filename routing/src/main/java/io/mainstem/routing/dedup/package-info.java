/**
 * What was published already: windows of publish ids, so that a publish that is sent again is stored once ([L-9], ADR 0027).
 *
 * <p>Thread: the shard's.
 *
 * <p>May be imported by: {@code io.mainstem.routing.queue}, and the launcher for the limits.
 */
@NullMarked
package io.mainstem.routing.dedup;

import org.jspecify.annotations.NullMarked;
