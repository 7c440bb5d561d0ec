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
        return authority(host);
    }

    /** As {@link #authority}, from this machine: where all addresses are bound, that of the loopback. */
    public String reachable() {
        return switch (host) {
            case "0.0.0.0" -> authority("127.0.0.1");
            case "::", "0:0:0:0:0:0:0:0" -> authority("::1");
            default -> authority(host);
        };
    }

    private String authority(String at) {
        return (at.indexOf(':') >= 0 ? "[" + at + "]" : at) + ":" + port;
    }
}
