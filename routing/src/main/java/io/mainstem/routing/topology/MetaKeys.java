package io.mainstem.routing.topology;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Keys of META records. They are on disk and never change their form.
 *
 * <pre>
 *  vhost/E(host)                      a virtual host
 *  exchange/E(host)/E(name)           an exchange
 *  queue/E(host)/E(name)              a queue
 *  binding/E(host)/(32 hex digits)    a binding, by its {@link BindingId}
 *  head/E(host)/(head)/...            what a protocol head keeps; the rest of the key is its own
 *  retained/E(host)/E(key)            a retained message; a key that is too long stands as ~ and its SHA-256
 *  dedup/E(host)/E(user)/p/E(producer)/(block in 16 hex digits)   sequences a producer has published, 1024 a block
 *  dedup/E(host)/E(user)/i/(32 hex digits)                        a name a user has published under, by its digest
 *  policy/E(host)/E(name)             a policy
 *  queue-ids                          i64: no queue id at or above it has been given out
 * </pre>
 *
 * {@code E} percent-encodes every byte outside of {@code [A-Za-z0-9_~-]}.
 */
final class MetaKeys {
    static final String QUEUE_IDS = "queue-ids";
    static final String VHOST = "vhost/";
    /** The store takes keys of 4096 bytes. */
    private static final int ENCODED_MAX = 2048;

    private final String host;

    MetaKeys(String virtualHost) {
        this.host = encode(virtualHost) + "/";
    }

    static String virtualHost(String name) {
        return VHOST + encode(name);
    }

    String exchange(String name) {
        return exchanges() + encode(name);
    }

    String queue(String name) {
        return queues() + encode(name);
    }

    String binding(BindingId id) {
        return bindings() + id.hex();
    }

    /** Common beginning of this host's exchange keys; likewise for the others. */
    String exchanges() {
        return "exchange/" + host;
    }

    String queues() {
        return "queue/" + host;
    }

    String bindings() {
        return "binding/" + host;
    }

    String policies() {
        return "policy/" + host;
    }

    String retained() {
        return "retained/" + host;
    }

    String retained(String routingKey) {
        return retained() + encode(routingKey, ENCODED_MAX);
    }

    /** Its digest behind a ~ if that would be longer than {@code max}. */
    static String encode(String text, int max) {
        String encoded = encode(text);
        return encoded.length() <= max ? encoded : "~" + digest(text);
    }

    private static String digest(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    String headRecords() {
        return "head/" + host;
    }

    static String encode(String text) {
        StringBuilder encoded = new StringBuilder(text.length() + 8);
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            int value = each & 0xFF;
            if (plain(value)) {
                encoded.append((char) value);
            } else {
                encoded.append('%').append(hex(value >>> 4)).append(hex(value & 15));
            }
        }
        return encoded.toString();
    }

    static String decode(String encoded) {
        byte[] bytes = new byte[encoded.length()];
        int length = 0;
        for (int i = 0; i < encoded.length(); i++) {
            char c = encoded.charAt(i);
            if (c == '%' && i + 2 < encoded.length()) {
                bytes[length++] = (byte)
                        (Character.digit(encoded.charAt(i + 1), 16) << 4 | Character.digit(encoded.charAt(i + 2), 16));
                i += 2;
            } else {
                bytes[length++] = (byte) c;
            }
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    private static boolean plain(int c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || c == '_'
                || c == '~'
                || c == '-';
    }

    private static char hex(int digit) {
        return Character.toUpperCase(Character.forDigit(digit, 16));
    }
}
