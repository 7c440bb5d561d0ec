package io.mainstem.benchmarks.mqtt;

/** What MQTT brokers are compared by. */
enum MqttScenario {
    PAIRS_QOS0(
            "50 publishers, 1 subscriber each, QoS 0, 256 bytes, 20 on their way each", new Topology(50, 1, 0, 20, 0)),
    PAIRS_QOS1(
            "50 publishers, 1 subscriber each, QoS 1, 256 bytes, 20 on their way each", new Topology(50, 1, 1, 20, 0)),
    FAN_OUT_50("1 publisher, 50 subscribers, QoS 0, 256 bytes, 20 on their way", new Topology(1, 50, 0, 20, 0)),
    FAN_OUT_1000("1 publisher, 1,000 subscribers, QoS 0, 256 bytes, 10 on their way", new Topology(1, 1_000, 0, 10, 0)),
    FILTERS_100000(
            "50 pairs, QoS 0, beside 100,000 filters with wildcards that do not match",
            new Topology(50, 1, 0, 20, 100_000));

    private final String description;
    private final Topology topology;

    MqttScenario(String description, Topology topology) {
        this.description = description;
        this.topology = topology;
    }

    String description() {
        return description;
    }

    Topology topology() {
        return topology;
    }
}
