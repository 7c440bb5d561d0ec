/**
 * Life cycle of one broker in this process: data folder, wiring of store, broker and listeners, endpoints file, stop
 * signals, shutdown order, exit codes.
 *
 * <p>Thread: the thread that starts a broker; stopping may come from any.
 *
 * <p>May be imported by: the launcher's commands and {@code EmbeddedBroker}.
 */
@NullMarked
package io.mainstem.launcher.lifecycle;

import org.jspecify.annotations.NullMarked;
