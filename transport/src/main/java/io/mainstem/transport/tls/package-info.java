/**
 * TLS 1.2 and 1.3 for every listener: certificates from PEM or PKCS #12 files, replaced while the broker runs.
 *
 * <p>Thread: any; handlers run on their connection's event loop.
 *
 * <p>May be imported by: the launcher.
 */
@NullMarked
package io.mainstem.transport.tls;

import org.jspecify.annotations.NullMarked;
