package io.mainstem.transport;

import java.net.InetAddress;
import java.util.List;

/**
 * Where a listener binds and what it allows before it knows its peer.
 *
 * @param name configuration prefix such as {@code amqp}; used in texts and logs
 * @param host address or host name to bind
 * @param port 0 = any free one
 * @param connectionsMax open connections; more are closed at once
 * @param connectionsPerAddressMax open connections of one address; more are closed at once
 * @param proxySources peers that begin with a PROXY header, which tells who is behind them
 * @param handshakeMs time until a connection must have introduced itself (see {@link HandshakeGuard})
 * @param handshakeBytesMax bytes it may send until then
 * @param writeBufferLow bytes waiting for the socket below which a connection becomes writable again
 * @param writeBufferHigh bytes waiting for the socket from which on it is not writable
 */
public record ListenerConfig(
        String name,
        String host,
        int port,
        int connectionsMax,
        int connectionsPerAddressMax,
        List<AddressRange> proxySources,
        int handshakeMs,
        int handshakeBytesMax,
        int writeBufferLow,
        int writeBufferHigh) {
    private static final int CONNECTIONS_MAX = 10_000;
    private static final int HANDSHAKE_MS = 10_000;
    private static final int HANDSHAKE_BYTES_MAX = 64 << 10;
    private static final int WRITE_BUFFER_LOW = 128 << 10;
    private static final int WRITE_BUFFER_HIGH = 256 << 10;

    public ListenerConfig {
        require(!name.isEmpty(), "listener name", name, "not empty");
        require(port >= 0 && port <= 65_535, name + ".port", port, "0 to 65535");
        require(connectionsMax > 0, name + ".connections-max", connectionsMax, ">= 1");
        require(connectionsPerAddressMax > 0, name + ".connections-per-address-max", connectionsPerAddressMax, ">= 1");
        require(handshakeMs > 0, name + ".handshake-timeout", handshakeMs, ">= 1 ms");
        require(handshakeBytesMax >= 1024, name + ".handshake-bytes-max", handshakeBytesMax, ">= 1024");
        require(
                writeBufferLow > 0 && writeBufferLow < writeBufferHigh,
                name + ".write-buffer-low",
                writeBufferLow,
                "1 to less than write-buffer-high");
        proxySources = List.copyOf(proxySources);
    }

    /** With the defaults for everything but the address: no limit for each peer address, and no proxies. */
    public static ListenerConfig of(String name, String host, int port) {
        return new ListenerConfig(
                name,
                host,
                port,
                CONNECTIONS_MAX,
                CONNECTIONS_MAX,
                List.of(),
                HANDSHAKE_MS,
                HANDSHAKE_BYTES_MAX,
                WRITE_BUFFER_LOW,
                WRITE_BUFFER_HIGH);
    }

    /** The same at another address. */
    public ListenerConfig at(String otherName, String otherHost, int otherPort) {
        return new ListenerConfig(
                otherName,
                otherHost,
                otherPort,
                connectionsMax,
                connectionsPerAddressMax,
                proxySources,
                handshakeMs,
                handshakeBytesMax,
                writeBufferLow,
                writeBufferHigh);
    }

    boolean isProxy(InetAddress peer) {
        return proxySources.stream().anyMatch(range -> range.contains(peer));
    }

    private static void require(boolean valid, String key, Object found, String expected) {
        if (!valid) {
            throw new IllegalArgumentException(key + ": " + found + " (expected: " + expected + ")");
        }
    }
}
