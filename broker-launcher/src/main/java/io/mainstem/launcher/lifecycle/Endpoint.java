package io.mainstem.launcher.lifecycle;

/**
 * Where a listener accepts connections.
 *
 * @param name of the listener, such as {@code amqp}
 * @param host as bound; IPv6 addresses without brackets
 * @param port the real one, never 0
 * @param posture what is spoken and who gets in, for people
 */
public record Endpoint(String name, String host, int port, String posture) {
    /** {@code host:port}, with brackets around an IPv6 address. */
    public String authority() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
