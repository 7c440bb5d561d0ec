package io.mainstem.routing.queue;

import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.message.AmqpValueReader;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.MessageProperties;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * What two messages of a last-value queue must have in common for the newer one to replace the older: the value of an
 * application property, or of a field that is named {@code subject}, {@code group-id}, {@code correlation-id} or
 * {@code routing-key}. Thread: any.
 *
 * @param name of the property or field
 */
record LastValueKey(String name) {
    static final String ARGUMENT = "x-last-value-key";

    /**
     * A value, as short as it can be with no two values alike: the first half of its SHA-256, by its type and text.
     */
    record Digest(long high, long low) {}

    /** The queue's, or null if it keeps all values. */
    static @Nullable LastValueKey of(QueueSpec spec) {
        String name = QueueOptions.text(spec, ARGUMENT);
        if (name == null) {
            return null;
        }
        if (name.isEmpty()) {
            throw QueueOptions.invalid(
                    spec,
                    ARGUMENT,
                    "''",
                    "an application property's name, subject, group-id, correlation-id or routing-key");
        }
        return new LastValueKey(name);
    }

    /** The message's value, or null if it has none: then it replaces nothing and is not replaced. */
    @Nullable
    Digest of(Message message) {
        Object value = switch (name) {
            case "routing-key" -> message.envelope().routingKey();
            case "subject" -> properties(message).subject();
            case "group-id" -> properties(message).groupId();
            case "correlation-id" -> properties(message).correlationId();
            default ->
                AmqpValueReader.applicationProperties(
                                message.sections(), message.envelope().offsets())
                        .get(name);
        };
        return value == null ? null : digest(text(value));
    }

    private static MessageProperties properties(Message message) {
        return MessageProperties.read(message.sections(), message.envelope().offsets());
    }

    /** Whole numbers are the same whatever their width. */
    private static String text(Object value) {
        if (value instanceof byte[] bytes) {
            return "Binary " + HexFormat.of().formatHex(bytes);
        }
        boolean whole =
                value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte;
        return (whole ? "Number" : value.getClass().getSimpleName()) + ' ' + value;
    }

    private static Digest digest(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            ByteBuffer bytes = ByteBuffer.wrap(hash);
            return new Digest(bytes.getLong(), bytes.getLong());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
