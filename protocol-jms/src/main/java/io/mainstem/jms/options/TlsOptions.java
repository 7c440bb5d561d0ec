package io.mainstem.jms.options;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * TLS. Without a store the JVM's own trust store is used and no client certificate is shown.
 *
 * @param keyStore path of a PKCS#12 or JKS file with the client's certificate, or null
 * @param keyStorePassword null: none
 * @param trustStore path of a PKCS#12, JKS or PEM file with the trusted certificates, or null
 * @param trustStorePassword null: none
 * @param protocols empty: TLS 1.3 and 1.2
 * @param verifyHost the certificate must name the host that was asked for
 */
public record TlsOptions(
        @Nullable String keyStore,
        @Nullable String keyStorePassword,
        @Nullable String trustStore,
        @Nullable String trustStorePassword,
        List<String> protocols,
        boolean verifyHost) {
    public static final TlsOptions DEFAULT = new TlsOptions(null, null, null, null, List.of(), true);

    public TlsOptions {
        protocols = List.copyOf(protocols);
    }

    @Override
    public String toString() {
        return "TlsOptions[keyStore=" + keyStore + ", trustStore=" + trustStore + ", protocols=" + protocols
                + ", verifyHost=" + verifyHost + "]";
    }
}
