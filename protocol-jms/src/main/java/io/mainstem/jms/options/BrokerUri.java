package io.mainstem.jms.options;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Where a factory connects to: {@code amqp://host:port?option=value&...} or {@code
 * failover:(amqp://a,amqp://b)?option=value&...}. Options within the parentheses count for all of them, so they must not
 * contradict each other.
 *
 * @param endpoints at least one
 * @param failover whether a lost connection is made again
 * @param options documented names and texts, all acceptable
 */
public record BrokerUri(List<Endpoint> endpoints, boolean failover, Map<String, String> options) {
    private static final String FAILOVER = "failover:";
    private static final String SCHEMES = "amqp, amqps, amqpws, amqpwss or vm";
    private static final int PORT_MAX = 65535;

    public BrokerUri {
        endpoints = List.copyOf(endpoints);
        options = Map.copyOf(options);
    }

    /** @throws jakarta.jms.JMSRuntimeException that names what is wrong, what is wanted, and the nearest option */
    public static BrokerUri parse(String uri) {
        return new Parser(uri.trim()).parse();
    }

    private static final class Parser {
        private final String uri;
        private final List<Endpoint> endpoints = new ArrayList<>();
        private final Map<String, String> options = new TreeMap<>();

        Parser(String uri) {
            this.uri = uri;
        }

        BrokerUri parse() {
            boolean failover = uri.regionMatches(true, 0, FAILOVER, 0, FAILOVER.length());
            if (failover) {
                list(uri.substring(FAILOVER.length()));
            } else {
                endpoint(uri, false);
            }
            for (String name : options.keySet()) {
                OptionKey key = OptionKey.find(name);
                if (key != null && key.isFailover() && !failover) {
                    throw OptionErrors.uri(
                            uri, name + " without failover", "write failover:(" + endpoints.get(0) + ")?...");
                }
            }
            return new BrokerUri(endpoints, failover, options);
        }

        private void list(String rest) {
            String body = rest.startsWith("//") ? rest.substring(2) : rest;
            int open = body.indexOf('(');
            int close = body.lastIndexOf(')');
            if (open != 0 || close < open) {
                throw OptionErrors.uri(uri, "no list in parentheses", "write failover:(amqp://a:5672,amqp://b:5672)");
            }
            for (String part : body.substring(1, close).split(",", -1)) {
                endpoint(part.trim(), true);
            }
            String tail = body.substring(close + 1);
            if (!tail.isEmpty() && tail.charAt(0) != '?') {
                throw OptionErrors.uri(uri, "'" + tail + "' behind the list", "begin the options with ?");
            }
            query(tail.isEmpty() ? null : tail.substring(1));
        }

        private void endpoint(String text, boolean nested) {
            int colon = text.indexOf("://");
            if (colon < 0) {
                throw OptionErrors.uri(uri, "'" + text + "' has no scheme", "begin with " + SCHEMES + ", then ://");
            }
            Endpoint.Scheme scheme = scheme(text.substring(0, colon));
            if (nested && scheme == Endpoint.Scheme.VM) {
                throw OptionErrors.uri(
                        uri, "vm within failover", "a broker in this JVM needs no failover: write " + text);
            }
            String rest = text.substring(colon + "://".length());
            int question = rest.indexOf('?');
            query(question < 0 ? null : rest.substring(question + 1));
            String place = question < 0 ? rest : rest.substring(0, question);
            int slash = place.indexOf('/');
            String path = slash < 0 ? "" : place.substring(slash);
            if (!scheme.webSocket() && path.length() > 1) {
                throw OptionErrors.uri(uri, "path " + path, "leave it out; the virtual host is the option amqp.vhost");
            }
            endpoints.add(authority(scheme, slash < 0 ? place : place.substring(0, slash), path));
        }

        private Endpoint.Scheme scheme(String name) {
            for (Endpoint.Scheme scheme : Endpoint.Scheme.values()) {
                if (scheme.name().equalsIgnoreCase(name)) {
                    return scheme;
                }
            }
            String fix = switch (name.toLowerCase(Locale.ROOT)) {
                case "tcp", "nio", "auto" -> "this provider speaks AMQP: write amqp://";
                case "ssl", "tls", "amqp+ssl", "nio+ssl" -> "this provider speaks AMQP: write amqps://";
                case "ws" -> "write amqpws://";
                case "wss" -> "write amqpwss://";
                default -> "write " + SCHEMES;
            };
            throw OptionErrors.uri(uri, "scheme '" + name + "'", fix);
        }

        private Endpoint authority(Endpoint.Scheme scheme, String authority, String path) {
            String place = authority;
            int at = authority.lastIndexOf('@');
            if (at >= 0) {
                user(authority.substring(0, at));
                place = authority.substring(at + 1);
            }
            int bracket = place.lastIndexOf(']');
            int colon = place.indexOf(':', Math.max(bracket, 0));
            String host = colon < 0 ? place : place.substring(0, colon);
            if (host.startsWith("[") && host.endsWith("]")) {
                host = host.substring(1, host.length() - 1);
            }
            if (host.isEmpty()) {
                throw OptionErrors.uri(uri, "no host", "write one behind ://, such as localhost");
            }
            int port = colon < 0 ? scheme.defaultPort() : port(place.substring(colon + 1), scheme);
            boolean webSocketRoot = scheme.webSocket() && path.isEmpty();
            return new Endpoint(scheme, host, port, webSocketRoot ? "/" : scheme.webSocket() ? path : "");
        }

        private int port(String text, Endpoint.Scheme scheme) {
            int port = -1;
            try {
                port = Integer.parseInt(text);
            } catch (NumberFormatException notOne) {
                port = -1;
            }
            if (port < 1 || port > PORT_MAX || scheme == Endpoint.Scheme.VM) {
                throw OptionErrors.uri(
                        uri,
                        "port '" + text + "'",
                        scheme == Endpoint.Scheme.VM ? "vm has no port: leave it out" : "write 1 to " + PORT_MAX);
            }
            return port;
        }

        private void user(String info) {
            int colon = info.indexOf(':');
            put(OptionKey.USERNAME, decoded(colon < 0 ? info : info.substring(0, colon)));
            if (colon >= 0) {
                put(OptionKey.PASSWORD, decoded(info.substring(colon + 1)));
            }
        }

        private void query(@Nullable String query) {
            if (query == null || query.isEmpty()) {
                return;
            }
            for (String pair : query.split("&", -1)) {
                int equals = pair.indexOf('=');
                if (equals < 1) {
                    throw OptionErrors.uri(uri, "'" + pair + "' among the options", "write name=value");
                }
                String name = pair.substring(0, equals);
                OptionKey key = OptionKey.find(name);
                if (key == null) {
                    throw OptionErrors.unknown(name);
                }
                put(key, decoded(pair.substring(equals + 1)));
            }
        }

        private void put(OptionKey key, String text) {
            if (!key.accepts(text)) {
                throw OptionErrors.value(key, text);
            }
            String before = options.put(key.name(), text);
            if (before != null && !before.equals(text)) {
                throw OptionErrors.twice(key.name(), "write it once; options count for all endpoints of a list");
            }
        }

        /** Percent-decoded; a plus sign is a plus sign. */
        private String decoded(String text) {
            try {
                return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
            } catch (IllegalArgumentException malformed) {
                throw OptionErrors.uri(uri, "a % that begins no %XX", "write %25 for the character itself");
            }
        }
    }

    @Override
    public String toString() {
        return "BrokerUri[" + endpoints + ", failover=" + failover + ", options=" + options.keySet() + "]";
    }
}
