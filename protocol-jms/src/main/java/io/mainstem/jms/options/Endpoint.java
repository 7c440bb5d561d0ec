package io.mainstem.jms.options;

import java.util.Locale;

/**
 * One place where a broker may be.
 *
 * @param scheme how to get there
 * @param host host name or address; for {@link Scheme#VM} the name of the embedded broker
 * @param port 1 to 65535; 0 for {@link Scheme#VM}
 * @param path of a WebSocket, begins with a slash; empty elsewhere
 */
public record Endpoint(Scheme scheme, String host, int port, String path) {
    /** Ways to a broker, with the port that is meant when none is written. */
    public enum Scheme {
        AMQP(5672, false, false),
        AMQPS(5671, true, false),
        AMQPWS(80, false, true),
        AMQPWSS(443, true, true),
        /** A broker in the same JVM. */
        VM(0, false, false);

        private final int defaultPort;
        private final boolean tls;
        private final boolean webSocket;

        Scheme(int defaultPort, boolean tls, boolean webSocket) {
            this.defaultPort = defaultPort;
            this.tls = tls;
            this.webSocket = webSocket;
        }

        public int defaultPort() {
            return defaultPort;
        }

        public boolean tls() {
            return tls;
        }

        public boolean webSocket() {
            return webSocket;
        }
    }

    @Override
    public String toString() {
        String name =
                scheme.name().toLowerCase(Locale.ROOT) + "://" + (host.indexOf(':') >= 0 ? '[' + host + ']' : host);
        return scheme == Scheme.VM ? name : name + ':' + port + path;
    }
}
