package io.mainstem.jms.amqp.engine;

import io.mainstem.jms.options.Endpoint;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import org.jspecify.annotations.Nullable;

/** What people are told when TLS with a broker fails. */
public final class TlsFailures {
    private TlsFailures() {}

    /** @param root the innermost cause */
    public static String explained(Endpoint endpoint, @Nullable Throwable root) {
        String found = root == null ? "no reason is given" : String.valueOf(root.getMessage());
        if (root instanceof CertificateExpiredException) {
            return "its certificate has expired (" + found + "); fix: renew it at the broker";
        }
        if (root instanceof CertificateNotYetValidException) {
            return "its certificate is not valid yet (" + found + "); fix: look at the clocks of both machines";
        }
        if (root instanceof CertPathBuilderException) {
            return "its certificate is not trusted (" + found
                    + "); fix: name a file with the certificate of its authority by transport.trustStoreLocation";
        }
        if (root != null && root.getClass() == CertificateException.class) {
            return "its certificate is for another host than " + endpoint.host() + " (" + found
                    + "); fix: use the name in the certificate, or transport.verifyHost=false";
        }
        return "TLS fails: " + found
                + "; fix: see that the port speaks TLS, and that the broker accepts the certificate"
                + " of the client if it asks for one";
    }
}
