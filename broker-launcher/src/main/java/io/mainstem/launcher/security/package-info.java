/**
 * The users file: its format, changing it, and noticing that it was changed. What a password or a permission means is
 * decided in {@code transport.security} and {@code routing.access}.
 *
 * <p>Thread: any; files are read by the command's thread and by the watch's.
 *
 * <p>May be imported by: the launcher's commands and its life cycle.
 */
@NullMarked
package io.mainstem.launcher.security;

import org.jspecify.annotations.NullMarked;
