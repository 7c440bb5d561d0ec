package io.mainstem.jms.destination;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * AMQP addresses of received messages as destinations ([A-9], [A-16], [mapping 3.1]). JMS clients send the plain name and
 * say the kind in an annotation; other protocols' messages come with the broker's address forms. Thread: any.
 */
public final class AmqpAddresses {
    private static final String QUEUES = "/queues/";
    private static final String TOPIC_KEYS = "/exchanges/amq.topic/";
    private static final String[] RESERVED = {
        QUEUES, "/exchanges/", "/topics/", "queue://", "topic://", "temp-queue://", "temp-topic://"
    };

    private AmqpAddresses() {}

    /**
     * @param address {@code to} or {@code reply-to}; null or empty gives null
     * @param kindAnnotation value of {@code x-opt-jms-dest} or {@code x-opt-jms-reply-to}, or null
     * @param otherwise the kind that is meant when neither annotation nor address says one
     */
    public static @Nullable MainstemDestination destination(
            @Nullable String address, @Nullable Object kindAnnotation, DestinationKind otherwise) {
        if (address == null || address.isEmpty()) {
            return null;
        }
        DestinationKind said = DestinationKind.of(kindAnnotation);
        String queue = name(address, QUEUES);
        if (queue != null && (said == null || said.isQueue())) {
            return said == DestinationKind.TEMPORARY_QUEUE ? of(said, queue) : new MainstemQueue(queue);
        }
        String topic = name(address, TOPIC_KEYS);
        if (topic != null && (said == null || !said.isQueue())) {
            return said == DestinationKind.TEMPORARY_TOPIC ? of(said, topic) : new MainstemTopic(topic);
        }
        if (said == null && address.startsWith("queue://")) {
            return new MainstemQueue(address.substring("queue://".length()));
        }
        if (said == null && address.startsWith("topic://")) {
            return new MainstemTopic(address.substring("topic://".length()));
        }
        return of(said == null ? otherwise : said, address);
    }

    private static MainstemDestination of(DestinationKind kind, String address) {
        return switch (kind) {
            case QUEUE -> new MainstemQueue(address);
            case TOPIC -> new MainstemTopic(address);
            case TEMPORARY_QUEUE -> new MainstemTemporaryQueue(address, null);
            case TEMPORARY_TOPIC -> new MainstemTemporaryTopic(address, null);
        };
    }

    /** The decoded rest, or null if the address is of another form or would be read as one when it is sent to. */
    private static @Nullable String name(String address, String prefix) {
        if (!address.startsWith(prefix) || address.length() == prefix.length()) {
            return null;
        }
        String name = decoded(address.substring(prefix.length()));
        if (name == null) {
            return null;
        }
        for (String reserved : RESERVED) {
            if (name.startsWith(reserved)) {
                return null;
            }
        }
        return name;
    }

    /** Percent-decoded once as UTF-8; a plus sign is a plus sign. Null if malformed or of more than one segment. */
    private static @Nullable String decoded(String segment) {
        if (segment.indexOf('/') >= 0) {
            return null;
        }
        byte[] raw = segment.getBytes(StandardCharsets.UTF_8);
        ByteBuffer bytes = ByteBuffer.allocate(raw.length);
        for (int i = 0; i < raw.length; i++) {
            if (raw[i] != '%') {
                bytes.put(raw[i]);
                continue;
            }
            int high = i + 2 <= raw.length - 1 ? Character.digit(raw[i + 1], 16) : -1;
            int low = i + 2 <= raw.length - 1 ? Character.digit(raw[i + 2], 16) : -1;
            if (high < 0 || low < 0) {
                return null;
            }
            bytes.put((byte) (high << 4 | low));
            i += 2;
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(bytes.flip()).toString();
        } catch (CharacterCodingException notText) {
            return null;
        }
    }
}
