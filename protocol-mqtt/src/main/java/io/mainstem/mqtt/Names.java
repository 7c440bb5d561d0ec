package io.mainstem.mqtt;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;

/** Names derived from client ids and filters (mapping 2.1). They are on disk and never change. Thread: any. */
final class Names {
    private static final int NAME_BYTES_MAX = 255;
    private static final String HEX = "0123456789ABCDEF";

    private Names() {}

    /** The queue of a session [S-3]. */
    static String sessionQueue(String clientId) {
        return derived("amq.mqtt:", clientId);
    }

    /** The queue of a group of shared subscriptions. */
    static String sharedQueue(String group, String filter) {
        String encoded = encode(group) + ":" + encode(filter);
        boolean fits = "amq.share:".length() + encoded.length() <= NAME_BYTES_MAX;
        return "amq.share:" + (fits ? encoded : "~" + digest(group + "/" + filter));
    }

    /** What stands for a client id in keys of records. */
    static String key(String clientId) {
        return derived("amq.mqtt:", clientId).substring("amq.mqtt:".length());
    }

    private static String derived(String prefix, String text) {
        String encoded = encode(text);
        if (encoded.startsWith("~")) {
            // A name that looks like a digest is never one.
            encoded = "%7E" + encoded.substring(1);
        }
        return prefix + (prefix.length() + encoded.length() <= NAME_BYTES_MAX ? encoded : '~' + digest(text));
    }

    /** Percent-encodes every byte outside of {@code [A-Za-z0-9_~-]}. */
    static String encode(String text) {
        StringBuilder encoded = new StringBuilder(text.length() + 8);
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (each & 0xFF);
            boolean plain = c < 0x80 && (Character.isLetterOrDigit(c) || c == '_' || c == '~' || c == '-');
            if (plain) {
                encoded.append(c);
            } else {
                encoded.append('%').append(HEX.charAt(c >>> 4)).append(HEX.charAt(c & 15));
            }
        }
        return encoded.toString();
    }

    static String digest(String text) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
