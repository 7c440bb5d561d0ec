/**
 * The client of the {@code mainstem} command: asks a running broker's node {@code /management} over AMQP 1.0.
 *
 * <p>Thread: the command's.
 *
 * <p>May be imported by: the command.
 */
@NullMarked
package io.mainstem.launcher.admin;

import org.jspecify.annotations.NullMarked;
