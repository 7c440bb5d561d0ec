package io.mainstem.mqtt;

import io.mainstem.routing.topology.TopicNames;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Topics and queues in the address text of AMQP (mapping 1.3), both ways. Thread: any. */
final class Addresses {
    private static final String TOPIC_EXCHANGE = "/exchanges/amq.topic/";
    private static final String QUEUES = "/queues/";
    private static final String TOPICS = "/topics/";
    private static final List<String> RESERVED =
            List.of("/queues/", "/exchanges/", "/topics/", "queue://", "topic://", "temp-queue://", "temp-topic://");

    private Addresses() {}

    /** The plain name with its kind in an annotation; the other form where the name looks like an address. */
    static String plain(String name, boolean topic) {
        for (String prefix : RESERVED) {
            if (name.startsWith(prefix)) {
                return (topic ? TOPIC_EXCHANGE : QUEUES) + Names.encode(name);
            }
        }
        return name;
    }

    /**
     * The response topic that reaches an address (mapping 3.1), or null if none does.
     *
     * @param topic the address is a plain topic name; otherwise a plain name is a queue
     */
    static @Nullable String responseTopic(String address, boolean topic) {
        try {
            if (address.startsWith(TOPIC_EXCHANGE)) {
                return ofKey(decoded(address.substring(TOPIC_EXCHANGE.length())));
            }
            if (address.startsWith(QUEUES)) {
                return Topics.ofQueue(decoded(address.substring(QUEUES.length())));
            }
            if (address.startsWith(TOPICS)) {
                String[] levels = address.substring(TOPICS.length()).split("/", -1);
                for (int i = 0; i < levels.length; i++) {
                    levels[i] = decoded(levels[i]);
                }
                return ofKey(TopicNames.swap(String.join("/", levels)));
            }
        } catch (IllegalArgumentException badEscape) {
            return null;
        }
        if (address.startsWith("topic://")) {
            return ofKey(address.substring("topic://".length()));
        }
        if (address.startsWith("queue://")) {
            return Topics.ofQueue(address.substring("queue://".length()));
        }
        if (address.startsWith("/") && !topic) {
            return null;
        }
        return topic ? ofKey(address) : Topics.ofQueue(address);
    }

    private static @Nullable String ofKey(String key) {
        return TopicNames.mappable(key) ? TopicNames.swap(key) : null;
    }

    private static String decoded(String segment) {
        return URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}
