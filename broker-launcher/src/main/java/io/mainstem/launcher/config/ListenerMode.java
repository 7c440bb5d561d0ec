package io.mainstem.launcher.config;

/**
 * What a listener speaks besides its protocol as such.
 *
 * @param webSocket its protocol inside WebSocket too
 */
public record ListenerMode(Tls tls, boolean webSocket) {
    /** Whether a listener speaks TLS. */
    public enum Tls {
        OFF,
        /** Beside plain text, on the same port. */
        OFFERED,
        /** And nothing else. */
        REQUIRED
    }
}
