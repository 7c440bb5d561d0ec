package io.mainstem.transport.websocket;

import io.netty.util.NetUtil;
import java.net.URI;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which web pages may connect. A browser lets any page open a WebSocket to any host, this machine too, and only says which
 * page it was; so a page has to be allowed by name. Programs that are no browsers send no origin, or the address they
 * connect to. That address counts only if it is no name: names can be made to point here. Immutable.
 */
public record Origins(Set<String> allowed) {
    public Origins {
        allowed = Set.copyOf(allowed);
    }

    /**
     * @param origin of the request header, or null if there is none
     * @param host of the request header, or null
     */
    boolean permits(@Nullable String origin, @Nullable String host) {
        if (origin == null || allowed.contains(origin.toLowerCase(Locale.ROOT))) {
            return true;
        }
        try {
            URI page = URI.create(origin);
            String name = page.getHost();
            return name != null
                    && host != null
                    && (name.equals("localhost") || isAddress(name))
                    && authority(page).equals(withPort(host, page.getScheme()));
        } catch (IllegalArgumentException malformed) {
            return false;
        }
    }

    private static boolean isAddress(String name) {
        String bare = name.startsWith("[") ? name.substring(1, name.length() - 1) : name;
        return NetUtil.isValidIpV4Address(bare) || NetUtil.isValidIpV6Address(bare);
    }

    private static String authority(URI page) {
        return page.getHost() + ":" + (page.getPort() < 0 ? defaultPort(page.getScheme()) : page.getPort());
    }

    private static String withPort(String host, String scheme) {
        int colon = host.lastIndexOf(':');
        return colon > host.lastIndexOf(']') ? host : host + ":" + defaultPort(scheme);
    }

    private static int defaultPort(String scheme) {
        return scheme.equals("https") || scheme.equals("wss") ? 443 : 80;
    }
}
