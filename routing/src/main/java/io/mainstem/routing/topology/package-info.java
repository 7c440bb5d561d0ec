/**
 * From a name to queues: exchanges, bindings, and the immutable snapshot that event loops route by.
 *
 * <p>Thread: the shard changes it; any thread reads a published snapshot.
 *
 * <p>May be imported by: all of {@code routing} and the launcher.
 */
@NullMarked
package io.mainstem.routing.topology;

import org.jspecify.annotations.NullMarked;
