package io.mainstem.launcher.config;

import io.mainstem.amqp.v1.AmqpOptions;
import io.mainstem.amqp.v1.AmqpOptions.Compatibility;
import io.mainstem.amqp.v1.AmqpOptions.FailoverServer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The options of the AMQP head, out of words. What is wrong is told by {@link IllegalArgumentException}, key first. */
final class AmqpPresentation {
    private static final int PORT_MAX = 65_535;

    private AmqpPresentation() {}

    static AmqpOptions of(Settings settings) {
        return new AmqpOptions(
                AmqpOptions.DEFAULT.node(),
                compatibility(settings.get(ConfigKeys.AMQP_COMPATIBILITY)),
                prefix(ConfigKeys.AMQP_QUEUE_PREFIX, settings),
                prefix(ConfigKeys.AMQP_TOPIC_PREFIX, settings),
                servers(settings.get(ConfigKeys.AMQP_FAILOVER_SERVERS)));
    }

    private static Set<Compatibility> compatibility(List<String> words) {
        Set<Compatibility> all = EnumSet.noneOf(Compatibility.class);
        for (String word : words) {
            switch (word.toLowerCase(Locale.ROOT)) {
                case "rabbitmq" -> all.add(Compatibility.RABBITMQ);
                case "artemis" -> all.add(Compatibility.ARTEMIS);
                default ->
                    throw new IllegalArgumentException(ConfigKeys.AMQP_COMPATIBILITY.name() + ": " + word
                            + " (expected: none, or of rabbitmq and artemis)");
            }
        }
        return all;
    }

    private static String prefix(ConfigKey<List<String>> key, Settings settings) {
        List<String> words = settings.get(key);
        if (words.size() > 1) {
            throw new IllegalArgumentException(key.name() + ": " + words.size() + " prefixes (expected: none or one)");
        }
        return words.isEmpty() ? "" : words.get(0);
    }

    private static List<FailoverServer> servers(List<String> words) {
        List<FailoverServer> servers = new ArrayList<>();
        for (String word : words) {
            int colon = word.lastIndexOf(':');
            String port = word.substring(colon + 1);
            if (colon <= 0 || !port.matches("\\d{1,5}") || Integer.parseInt(port) > PORT_MAX) {
                throw new IllegalArgumentException(
                        ConfigKeys.AMQP_FAILOVER_SERVERS.name() + ": " + word + " (expected: host:port)");
            }
            servers.add(new FailoverServer(word.substring(0, colon), Integer.parseInt(port)));
        }
        return servers;
    }
}
