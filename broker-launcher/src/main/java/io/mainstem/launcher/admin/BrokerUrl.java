package io.mainstem.launcher.admin;

import io.mainstem.launcher.lifecycle.ExitCode;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;

/**
 * Where a broker is.
 *
 * @param secure by TLS
 * @param virtualHost "/" is the default one
 */
public record BrokerUrl(String host, int port, boolean secure, String virtualHost) {
    private static final int PORT = 5672;
    private static final int SECURE_PORT = 5671;

    /**
     * {@code amqp://host:port/vhost} or {@code amqps://...}; port and virtual host may be left out.
     *
     * @throws ManagementFailure if it is none
     */
    public static BrokerUrl parse(String text) {
        try {
            URI uri = new URI(text);
            String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
            boolean secure = scheme.equals("amqps");
            if ((secure || scheme.equals("amqp")) && uri.getHost() != null && uri.getUserInfo() == null) {
                int port = uri.getPort() >= 0 ? uri.getPort() : secure ? SECURE_PORT : PORT;
                String path = uri.getPath();
                String host = uri.getHost().startsWith("[")
                        ? uri.getHost().substring(1, uri.getHost().length() - 1)
                        : uri.getHost();
                return new BrokerUrl(host, port, secure, path == null || path.length() <= 1 ? "/" : path.substring(1));
            }
        } catch (URISyntaxException malformed) {
            // answered below
        }
        throw new ManagementFailure(
                ExitCode.USAGE,
                "MS-0133 --url '" + text + "' fix: write it as amqp://host:port, amqps://host:port or"
                        + " amqp://host:port/vhost; user and password have options of their own.");
    }

    /** Scheme, host and port. */
    public String withoutVirtualHost() {
        return (secure ? "amqps://" : "amqp://") + (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }

    @Override
    public String toString() {
        return withoutVirtualHost() + (virtualHost.equals("/") ? "" : "/" + virtualHost);
    }
}
