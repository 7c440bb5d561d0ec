package io.mainstem.amqp.v1;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Map;

/**
 * Which subscription a link means [mapping 4.5], and the queue that stands for it [mapping 2.1].
 *
 * @param client container-id whose subscription it is; empty = global, one for all clients
 * @param name link name up to the first {@code |}
 */
record SubscriptionName(String client, String name) {
    static final String NON_DURABLE = "amq.sub:";

    private static final String DURABLE = "amq.sub:d:";
    private static final String VOLATILE = "amq.sub:v:";
    private static final int NAME_BYTES_MAX = 255;
    private static final String UNRESERVED_MARKS = "_~-";

    static SubscriptionName of(String linkName, String clientId, boolean global) {
        int bar = linkName.indexOf('|');
        return new SubscriptionName(global ? "" : clientId, bar < 0 ? linkName : linkName.substring(0, bar));
    }

    /** Queue of a durable subscription, shared or not [S-1]. */
    String durableQueue() {
        return DURABLE + variable(DURABLE);
    }

    /** Queue of a shared subscription that goes with its last consumer. */
    String volatileQueue() {
        return VOLATILE + variable(VOLATILE);
    }

    /** The name for people, where that of the queue does not tell it: arguments of the queue. */
    Map<String, Object> attributes() {
        return isLong(plain(), DURABLE)
                ? Map.of("x-subscription-client", client, "x-subscription-name", name)
                : Map.of();
    }

    private String variable(String prefix) {
        String plain = plain();
        return isLong(plain, prefix) ? "~" + digest(plain) : plain;
    }

    private String plain() {
        return encode(client) + ":" + encode(name);
    }

    private static boolean isLong(String variable, String prefix) {
        return prefix.length() + variable.length() > NAME_BYTES_MAX;
    }

    /** {@code E(x)}: every byte but unreserved ones percent-encoded, {@code .} and {@code :} too. */
    static String encode(String text) {
        StringBuilder encoded = new StringBuilder();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xff);
            boolean plain = c < 0x80 && (Character.isLetterOrDigit(c) || UNRESERVED_MARKS.indexOf(c) >= 0);
            if (plain) {
                encoded.append(c);
            } else {
                encoded.append('%')
                        .append(Character.toUpperCase(Character.forDigit(c >> 4, 16)))
                        .append(Character.toUpperCase(Character.forDigit(c & 0xf, 16)));
            }
        }
        return encoded.toString();
    }

    private static String digest(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java platform has SHA-256", impossible);
        }
    }
}
