package io.mainstem.jms.amqp.engine;

import io.mainstem.jms.options.TlsOptions;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Builds the TLS side of a connection from its options. Thread: any. */
public final class ClientTls {
    private ClientTls() {}

    /** @throws IOException if a store cannot be read; the message names the file */
    public static SslContext context(TlsOptions options) throws IOException {
        String reading = "";
        try {
            SslContextBuilder builder = SslContextBuilder.forClient()
                    .sslProvider(SslProvider.JDK)
                    .protocols(options.protocols().isEmpty() ? List.of("TLSv1.3", "TLSv1.2") : options.protocols());
            builder.endpointIdentificationAlgorithm(options.verifyHost() ? "HTTPS" : null);
            String trustStore = options.trustStore();
            if (trustStore != null) {
                reading = "trust store " + trustStore;
                trust(builder, trustStore, options.trustStorePassword());
            }
            String keyStore = options.keyStore();
            if (keyStore != null) {
                reading = "key store " + keyStore;
                builder.keyManager(keys(keyStore, options.keyStorePassword()));
            }
            return builder.build();
        } catch (GeneralSecurityException | IOException | IllegalArgumentException e) {
            String what = e instanceof NoSuchFileException ? "there is no such file" : String.valueOf(e.getMessage());
            throw new IOException(
                    (reading.isEmpty() ? "TLS options" : reading) + ": " + what
                            + "; fix: give a PKCS#12, JKS or PEM file that this user may read, and its password",
                    e);
        }
    }

    private static void trust(SslContextBuilder builder, String file, @Nullable String password)
            throws GeneralSecurityException, IOException {
        if (file.endsWith(".pem") || file.endsWith(".crt")) {
            builder.trustManager(new File(file));
            return;
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store(file, password));
        builder.trustManager(factory);
    }

    private static KeyManagerFactory keys(String file, @Nullable String password)
            throws GeneralSecurityException, IOException {
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store(file, password), password == null ? new char[0] : password.toCharArray());
        return factory;
    }

    private static KeyStore store(String file, @Nullable String password) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(file.endsWith(".jks") ? "JKS" : "PKCS12");
        try (InputStream in = Files.newInputStream(Path.of(file))) {
            store.load(in, password == null ? null : password.toCharArray());
        }
        return store;
    }
}
