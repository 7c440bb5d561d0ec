package io.mainstem.routing;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How temporary nodes are called (ADR 0072): what an address names can be seen by its first characters, and whoever wants
 * to make one again has to be the user that is part of its name. Thread: any.
 */
public final class TemporaryNames {
    private static final String QUEUES = "amq.tmp:";
    private static final String TOPICS = "amq.tmp.";
    private static final int LABEL_CHARS_MAX = 24;
    private static final int USER_BYTES = 8;
    private static final Pattern UUID_TEXT = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private TemporaryNames() {}

    /** True if only a temporary queue can have the name. */
    public static boolean isQueue(String name) {
        return name.startsWith(QUEUES);
    }

    /** True if only a temporary topic can be this key of {@code amq.topic}; true of patterns that begin like one, too. */
    public static boolean isTopic(String key) {
        return key.startsWith(TOPICS);
    }

    /**
     * The name of a temporary queue.
     *
     * @param id fresh
     * @param wanted what it was called on a connection that was lost, or null; counts if this user and client may have
     *     it
     */
    public static String queue(ClientInfo client, UUID id, @Nullable String wanted) {
        return named(QUEUES + label(client.clientId()) + ":" + tag(client.user()) + ":", id, wanted);
    }

    /** The key of a temporary topic, as above. */
    public static String topic(ClientInfo client, UUID id, @Nullable String wanted) {
        return named(TOPICS + tag(client.user()) + ".", id, wanted);
    }

    private static String named(String prefix, UUID id, @Nullable String wanted) {
        if (wanted != null
                && wanted.startsWith(prefix)
                && UUID_TEXT.matcher(wanted.substring(prefix.length())).matches()) {
            return wanted;
        }
        return prefix + id;
    }

    /** For people who look at a list of queues. */
    private static String label(String clientId) {
        String plain = clientId.replaceAll("[^A-Za-z0-9_~-]", "-");
        return plain.length() <= LABEL_CHARS_MAX ? plain : plain.substring(0, LABEL_CHARS_MAX);
    }

    /** Stands for the user: of one length, and of characters that are allowed everywhere. */
    private static String tag(@Nullable String user) {
        try {
            String known = user == null ? "" : "user " + user;
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(known.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, USER_BYTES);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java platform has SHA-256", impossible);
        }
    }
}
