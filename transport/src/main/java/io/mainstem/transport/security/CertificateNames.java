package io.mainstem.transport.security;

import java.security.cert.X509Certificate;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import org.jspecify.annotations.Nullable;

/** Whom a client certificate is about. Pure. */
final class CertificateNames {
    private CertificateNames() {}

    /** The most specific common name of the subject, or null if it has none. */
    static @Nullable String commonName(X509Certificate certificate) {
        try {
            LdapName subject =
                    new LdapName(certificate.getSubjectX500Principal().getName());
            for (int i = subject.size() - 1; i >= 0; i--) {
                Rdn part = subject.getRdn(i);
                if ("CN".equalsIgnoreCase(part.getType()) && part.getValue() instanceof String name) {
                    return SaslPrep.prepare(name);
                }
            }
            return null;
        } catch (InvalidNameException unreadable) {
            return null;
        }
    }
}
