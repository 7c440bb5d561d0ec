package io.mainstem.transport.tls;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the broker's certificate is, and whether peers need one.
 *
 * @param certificateFile PEM, the broker's own certificate first and then those that lead to its authority; or PKCS #12
 *     with key and certificates
 * @param keyFile PEM, PKCS #8; null if the key is in the certificate file
 * @param passwordFile its first line decrypts the key or the PKCS #12 file; null if that is not encrypted
 * @param authorityFile PEM, certificates of those who may vouch for peers; null if no peer is asked
 */
public record TlsConfig(
        Path certificateFile,
        @Nullable Path keyFile,
        @Nullable Path passwordFile,
        ClientCertificates clientCertificates,
        @Nullable Path authorityFile) {
    /** Whether peers have to show a certificate. */
    public enum ClientCertificates {
        NONE,
        /** A peer may show one; one that is not good is refused. */
        WANT,
        REQUIRE
    }

    public TlsConfig {
        if (clientCertificates != ClientCertificates.NONE && authorityFile == null) {
            throw new IllegalArgumentException(
                    "tls.authority-file: none (expected: a file, as tls.client-certificates asks for certificates)");
        }
    }

    /** All files that matter. */
    public List<Path> files() {
        List<Path> files = new ArrayList<>(List.of(certificateFile));
        for (Path file : new Path[] {keyFile, passwordFile, authorityFile}) {
            if (file != null) {
                files.add(file);
            }
        }
        return files;
    }
}
