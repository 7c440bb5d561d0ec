package io.mainstem.transport.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.security.cert.X509Certificate;
import java.time.InstantSource;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What new connections are encrypted with. {@link #reload} replaces it; connections that are open keep what they have.
 * Thread: any.
 */
public final class TlsContext {
    private static final Logger LOG = LoggerFactory.getLogger(TlsContext.class);

    private final TlsConfig config;
    private final InstantSource clock;
    private volatile Loaded loaded;

    private record Loaded(SslContext context, X509Certificate own) {}

    private TlsContext(TlsConfig config, InstantSource clock) throws TlsException {
        this.config = config;
        this.clock = clock;
        this.loaded = load(config, clock);
    }

    /** @throws TlsException if a file is missing, damaged, expired, or does not fit the others */
    public static TlsContext open(TlsConfig config, InstantSource clock) throws TlsException {
        return new TlsContext(config, clock);
    }

    private static Loaded load(TlsConfig config, InstantSource clock) throws TlsException {
        KeyMaterial material = KeyMaterial.read(config, clock);
        try {
            SslContextBuilder builder = SslContextBuilder.forServer(
                            material.key(), material.chain().toArray(new X509Certificate[0]))
                    .sslProvider(SslProvider.JDK)
                    .protocols("TLSv1.3", "TLSv1.2")
                    .clientAuth(clientAuth(config.clientCertificates()));
            if (config.authorityFile() != null) {
                builder.trustManager(
                        KeyMaterial.certificates(config.authorityFile()).toArray(new X509Certificate[0]));
            }
            return new Loaded(builder.build(), material.chain().get(0));
        } catch (SSLException e) {
            throw new TlsException(config.certificateFile(), "cannot be used: " + e.getMessage(), "see the reason.", e);
        }
    }

    private static ClientAuth clientAuth(TlsConfig.ClientCertificates wanted) {
        return switch (wanted) {
            case NONE -> ClientAuth.NONE;
            case WANT -> ClientAuth.OPTIONAL;
            case REQUIRE -> ClientAuth.REQUIRE;
        };
    }

    /** Takes the files over as they are now; if they are wrong, that is logged and nothing changes. Reads files. */
    public void reload() {
        try {
            loaded = load(config, clock);
            LOG.info("certificate reloaded file={} {}", config.certificateFile(), describe());
        } catch (TlsException e) {
            LOG.warn("MS-0421 changed certificate files not taken, the former ones stay reason=\"{}\"", e.getMessage());
        }
    }

    /** Subject and end of the certificate, for people. */
    public String describe() {
        X509Certificate own = loaded.own();
        return own.getSubjectX500Principal().getName() + ", valid until "
                + own.getNotAfter().toInstant();
    }

    /** Whether peers have to show a certificate. */
    public TlsConfig.ClientCertificates clientCertificates() {
        return config.clientCertificates();
    }

    SslHandler newHandler(ByteBufAllocator allocator) {
        return loaded.context().newHandler(allocator);
    }
}
