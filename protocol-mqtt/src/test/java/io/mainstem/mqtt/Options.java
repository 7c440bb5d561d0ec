package io.mainstem.mqtt;

/** Options that differ from the default in one thing. */
final class Options {
    private Options() {}

    static MqttOptions connectionRate(int perSecond) {
        return of(0, "", perSecond, 0, 0, TopicMapping.EXACT, SessionQueuePolicy.DEFAULT);
    }

    static MqttOptions publishRate(int perSecond) {
        return of(0, "", 0, perSecond, 0, TopicMapping.EXACT, SessionQueuePolicy.DEFAULT);
    }

    static MqttOptions negotiated(int keepAliveMaxSeconds, String responseTopicPrefix) {
        return of(keepAliveMaxSeconds, responseTopicPrefix, 0, 0, 0, TopicMapping.EXACT, SessionQueuePolicy.DEFAULT);
    }

    static MqttOptions sysInterval(int seconds) {
        return of(0, "", 0, 0, seconds, TopicMapping.EXACT, SessionQueuePolicy.DEFAULT);
    }

    static MqttOptions mapping(TopicMapping mapping) {
        return of(0, "", 0, 0, 0, mapping, SessionQueuePolicy.DEFAULT);
    }

    static MqttOptions queues(SessionQueuePolicy policy) {
        return of(0, "", 0, 0, 0, TopicMapping.EXACT, policy);
    }

    static MqttOptions answerAfterWrite() {
        return new MqttOptions(
                0, "", 0, 0, 0, true, TopicMapping.EXACT, SessionQueuePolicy.DEFAULT, ForeignMessages.DEFAULT);
    }

    private static MqttOptions of(
            int keepAliveMax,
            String responsePrefix,
            int connectionRate,
            int publishRate,
            int sysInterval,
            TopicMapping mapping,
            SessionQueuePolicy queues) {
        return new MqttOptions(
                keepAliveMax,
                responsePrefix,
                connectionRate,
                publishRate,
                sysInterval,
                false,
                mapping,
                queues,
                ForeignMessages.DEFAULT);
    }
}
