package io.mainstem.mqtt;

/** How topics of clients are spelled here, before makes routing keys of them. Thread: any. */
public enum TopicMapping {
    /** As the client spells them: nothing is lost, and a topic comes back as it was published. */
    EXACT {
        @Override
        String name(String topic) {
            return topic;
        }

        @Override
        String filter(String filter) {
            return filter;
        }

        @Override
        String toClient(String topic) {
            return topic;
        }
    },

    /**
     * As RabbitMQ does: a dot separates levels, too, and {@code a.b/c} comes back as {@code a/b/c}; a level {@code *} of a
     * filter is a wildcard. For clients that come from there.
     */
    RABBITMQ {
        @Override
        String name(String topic) {
            return Topics.queue(topic) == null ? topic.replace('.', '/') : topic;
        }

        @Override
        String filter(String filter) {
            if (Topics.queue(filter) != null) {
                return filter;
            }
            String[] levels = filter.replace('.', '/').split("/", -1);
            for (int i = 0; i < levels.length; i++) {
                levels[i] = levels[i].equals("*") ? "+" : levels[i];
            }
            return String.join("/", levels);
        }

        @Override
        String toClient(String topic) {
            return name(topic);
        }
    };

    /** A topic name of a client, as it is spelled here. */
    abstract String name(String topic);

    /** A filter of a client, as it is spelled here. */
    abstract String filter(String filter);

    /** A topic name as the client gets it. */
    abstract String toClient(String topic);
}
