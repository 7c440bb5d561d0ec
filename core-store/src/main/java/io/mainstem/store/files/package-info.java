/**
 * The disk seam: everything that touches a file goes through here, so that tests can put a faulty disk in its place.
 *
 * <p>Thread: any; the only place with blocking file calls.
 *
 * <p>May be imported by: {@code store.*} and the launcher.
 */
@NullMarked
package io.mainstem.store.files;

import org.jspecify.annotations.NullMarked;
