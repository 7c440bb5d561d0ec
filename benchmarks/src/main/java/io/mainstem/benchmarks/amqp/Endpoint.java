package io.mainstem.benchmarks.amqp;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * A broker to put load on. Only on this machine: a load generator must not be pointed at others by mistake.
 *
 * @param user for SASL PLAIN, or null for ANONYMOUS
 */
public record Endpoint(
        String host,
        int port,
        @Nullable String user,
        @Nullable String password) {
    public Endpoint {
        try {
            if (!InetAddress.getByName(host).isLoopbackAddress()) {
                throw new IllegalArgumentException(
                        "host: " + host + " (expected: an address of this machine's loopback)");
            }
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("host: " + host + " (expected: a known one)", e);
        }
    }

    /** An endpoint on 127.0.0.1 that lets anybody in. */
    public static Endpoint local(int port) {
        return new Endpoint("127.0.0.1", port, null, null);
    }
}
