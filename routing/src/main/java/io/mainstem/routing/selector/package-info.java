/**
 * Filter expressions over messages: one syntax tree, several front ends (mapping 7). A {@link
 * io.mainstem.routing.selector.Selector} is immutable and free for any thread; what it reads of one message is a
 * {@link io.mainstem.routing.selector.MessageFields}, for one thread. Knows the canonical message and nothing of queues.
 */
@NullMarked
package io.mainstem.routing.selector;

import org.jspecify.annotations.NullMarked;
