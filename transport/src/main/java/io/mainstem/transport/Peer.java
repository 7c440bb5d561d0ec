package io.mainstem.transport;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.AttributeKey;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * What is known of the other end before it says who it is. Immutable.
 *
 * @param address where it really is, behind a trusted PROXY header too; null for channels that are no sockets
 * @param text address and port, for logs
 * @param local it is on this machine
 * @param encrypted what is sent to it cannot be read on the way
 * @param certificate its own, verified against the configured authority, or null
 */
public record Peer(
        @Nullable InetAddress address,
        String text,
        boolean local,
        boolean encrypted,
        @Nullable X509Certificate certificate) {
    /** Set by whoever learns a better address than the socket's. */
    static final AttributeKey<InetSocketAddress> REAL_ADDRESS = AttributeKey.valueOf(Peer.class, "real-address");

    /** Set if a proxy speaks for somebody without saying who: its own address tells nothing about that one. */
    static final AttributeKey<Boolean> UNKNOWN_BEHIND_PROXY = AttributeKey.valueOf(Peer.class, "unknown-behind-proxy");

    /** Thread: the connection's event loop, once its TLS handshake, if it has one, is complete. */
    public static Peer of(Channel channel) {
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        SocketAddress address = address(channel);
        InetAddress host = address instanceof InetSocketAddress inet ? inet.getAddress() : null;
        return new Peer(
                host,
                describe(address),
                !channel.hasAttr(UNKNOWN_BEHIND_PROXY) && isLocal(channel.remoteAddress()) && isLocal(address),
                tls != null,
                tls == null ? null : certificate(tls.engine().getSession()));
    }

    /** Address and port of the other end, for logs; known from the first byte on. Thread: any. */
    public static String text(Channel channel) {
        return describe(address(channel));
    }

    private static @Nullable SocketAddress address(Channel channel) {
        InetSocketAddress real = channel.attr(REAL_ADDRESS).get();
        return real == null ? channel.remoteAddress() : real;
    }

    private static boolean isLocal(@Nullable SocketAddress address) {
        return !(address instanceof InetSocketAddress inet) || inet.getAddress().isLoopbackAddress();
    }

    private static String describe(@Nullable SocketAddress address) {
        return String.valueOf(address);
    }

    private static @Nullable X509Certificate certificate(SSLSession session) {
        try {
            return session.getPeerCertificates()[0] instanceof X509Certificate first ? first : null;
        } catch (SSLPeerUnverifiedException none) {
            return null;
        }
    }
}
