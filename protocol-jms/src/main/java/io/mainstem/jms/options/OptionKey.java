package io.mainstem.jms.options;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One option of a connection URI or a factory, with the names that other providers' users know it by.
 *
 * @param name as the documentation has it
 * @param type what its text must be
 * @param min smallest number
 * @param max largest number
 * @param aliases other names for the same
 */
record OptionKey(String name, Type type, long min, long max, List<String> aliases) {
    /** What the text of an option is. */
    enum Type {
        TEXT,
        FLAG,
        NUMBER,
        /** Separated by commas. */
        LIST
    }

    private static final long INT_MAX = Integer.MAX_VALUE;

    static final OptionKey USERNAME = text("jms.username", "jms.userName");
    static final OptionKey PASSWORD = text("jms.password");
    static final OptionKey CLIENT_ID = text("jms.clientID", "jms.clientId");
    static final OptionKey CONNECT_TIMEOUT = number("jms.connectTimeout", 1, INT_MAX);
    static final OptionKey REQUEST_TIMEOUT = number("jms.requestTimeout", 1, INT_MAX);
    static final OptionKey SEND_TIMEOUT = number("jms.sendTimeout", 1, INT_MAX);
    static final OptionKey CLOSE_TIMEOUT = number("jms.closeTimeout", 1, INT_MAX);
    static final OptionKey PREFETCH = number("jms.prefetch", 0, 100_000, "jms.prefetchPolicy.all");
    static final OptionKey PREFETCH_BYTES = number("jms.prefetchBytes", 1, INT_MAX);
    static final OptionKey REDELIVERIES_MAX =
            number("jms.redeliveriesMax", -1, INT_MAX, "jms.redeliveryPolicy.maxRedeliveries");
    static final OptionKey ASYNC_NON_PERSISTENT = flag("jms.asyncNonPersistent");
    static final OptionKey VALIDATE_NAMES = flag("jms.validatePropertyNames");
    static final OptionKey EXPIRE_LOCALLY = flag("jms.expireLocally", "jms.localMessageExpiry");
    static final OptionKey TRUSTED_PACKAGES = list("jms.trustedPackages", "jms.deserializationPolicy.allowList");
    static final OptionKey DEDUP = flag("jms.dedup");
    static final OptionKey STAMP_USER = flag("jms.populateJMSXUserID");
    static final OptionKey VHOST = text("amqp.vhost");
    static final OptionKey IDLE_TIMEOUT = number("amqp.idleTimeout", 0, INT_MAX);
    static final OptionKey FRAME_BYTES = number("amqp.maxFrameSize", 512, INT_MAX);
    static final OptionKey SASL = list("amqp.saslMechanisms");
    static final OptionKey PLAIN_WITHOUT_TLS = flag("amqp.plainWithoutTls");
    static final OptionKey TCP_NO_DELAY = flag("transport.tcpNoDelay");
    static final OptionKey KEY_STORE = text("transport.keyStoreLocation");
    static final OptionKey KEY_STORE_PASSWORD = text("transport.keyStorePassword");
    static final OptionKey TRUST_STORE = text("transport.trustStoreLocation");
    static final OptionKey TRUST_STORE_PASSWORD = text("transport.trustStorePassword");
    static final OptionKey PROTOCOLS = list("transport.enabledProtocols");
    static final OptionKey VERIFY_HOST = flag("transport.verifyHost");
    static final OptionKey FAILOVER_INITIAL_DELAY =
            number("failover.initialReconnectDelay", 0, INT_MAX, "initialReconnectDelay");
    static final OptionKey FAILOVER_DELAY = number("failover.reconnectDelay", 1, INT_MAX, "reconnectDelay");
    static final OptionKey FAILOVER_DELAY_MAX = number("failover.maxReconnectDelay", 1, INT_MAX, "maxReconnectDelay");
    static final OptionKey FAILOVER_ATTEMPTS =
            number("failover.maxReconnectAttempts", -1, INT_MAX, "maxReconnectAttempts");
    static final OptionKey FAILOVER_START_ATTEMPTS =
            number("failover.startupMaxReconnectAttempts", -1, INT_MAX, "startupMaxReconnectAttempts");
    static final OptionKey FAILOVER_RANDOMIZE = flag("failover.randomize", "randomize");

    static final List<OptionKey> ALL = List.of(
            USERNAME,
            PASSWORD,
            CLIENT_ID,
            CONNECT_TIMEOUT,
            REQUEST_TIMEOUT,
            SEND_TIMEOUT,
            CLOSE_TIMEOUT,
            PREFETCH,
            PREFETCH_BYTES,
            REDELIVERIES_MAX,
            ASYNC_NON_PERSISTENT,
            VALIDATE_NAMES,
            EXPIRE_LOCALLY,
            TRUSTED_PACKAGES,
            DEDUP,
            STAMP_USER,
            VHOST,
            IDLE_TIMEOUT,
            FRAME_BYTES,
            SASL,
            PLAIN_WITHOUT_TLS,
            TCP_NO_DELAY,
            KEY_STORE,
            KEY_STORE_PASSWORD,
            TRUST_STORE,
            TRUST_STORE_PASSWORD,
            PROTOCOLS,
            VERIFY_HOST,
            FAILOVER_INITIAL_DELAY,
            FAILOVER_DELAY,
            FAILOVER_DELAY_MAX,
            FAILOVER_ATTEMPTS,
            FAILOVER_START_ATTEMPTS,
            FAILOVER_RANDOMIZE);

    private static final Map<String, OptionKey> BY_NAME = byName();

    private static OptionKey text(String name, String... aliases) {
        return new OptionKey(name, Type.TEXT, 0, 0, List.of(aliases));
    }

    private static OptionKey flag(String name, String... aliases) {
        return new OptionKey(name, Type.FLAG, 0, 0, List.of(aliases));
    }

    private static OptionKey list(String name, String... aliases) {
        return new OptionKey(name, Type.LIST, 0, 0, List.of(aliases));
    }

    private static OptionKey number(String name, long min, long max, String... aliases) {
        return new OptionKey(name, Type.NUMBER, min, max, List.of(aliases));
    }

    private static Map<String, OptionKey> byName() {
        Map<String, OptionKey> names = new TreeMap<>();
        for (OptionKey key : ALL) {
            names.put(key.name, key);
            key.aliases.forEach(alias -> names.put(alias, key));
        }
        return names;
    }

    /** By its name or one of its aliases; null if there is none. */
    static @Nullable OptionKey find(String name) {
        return BY_NAME.get(name);
    }

    boolean isFailover() {
        return name.startsWith("failover.");
    }

    boolean isSecret() {
        return name.endsWith("assword");
    }

    /** What its text must be, for people. */
    String wanted() {
        return switch (type) {
            case TEXT -> "a text";
            case FLAG -> "true or false";
            case NUMBER ->
                "a number from " + min + " to " + max
                        + (name.contains("imeout") || name.contains("Delay") ? ", milliseconds" : "");
            case LIST -> "names separated by commas";
        };
    }

    /** Whether the text is such a one. */
    boolean accepts(String text) {
        return switch (type) {
            case TEXT, LIST -> true;
            case FLAG -> text.equals("true") || text.equals("false");
            case NUMBER -> isNumber(text);
        };
    }

    private boolean isNumber(String text) {
        try {
            long number = Long.parseLong(text);
            return number >= min && number <= max;
        } catch (NumberFormatException notOne) {
            return false;
        }
    }

    /** The known name that is most like this one; aliases count, the documented name is given. */
    static String nearest(String name) {
        String best = ALL.get(0).name;
        int bestDistance = Integer.MAX_VALUE;
        for (Map.Entry<String, OptionKey> known : BY_NAME.entrySet()) {
            String whole = known.getKey().toLowerCase(Locale.ROOT);
            String asked = name.toLowerCase(Locale.ROOT);
            int distance = Math.min(distance(asked, whole), distance(lastWord(asked), lastWord(whole)) + 1);
            if (distance < bestDistance) {
                bestDistance = distance;
                best = known.getValue().name;
            }
        }
        return best;
    }

    private static String lastWord(String name) {
        return name.substring(name.lastIndexOf('.') + 1);
    }

    /** Characters to insert, delete or replace. */
    private static int distance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[b.length()];
    }
}
