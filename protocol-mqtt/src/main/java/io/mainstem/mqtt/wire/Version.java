package io.mainstem.mqtt.wire;

/** The versions of MQTT, by the level they announce. */
public enum Version {
    V3_1(3, "MQIsdp"),
    V3_1_1(4, "MQTT"),
    V5(5, "MQTT");

    private final int level;
    private final String protocolName;

    Version(int level, String protocolName) {
        this.level = level;
        this.protocolName = protocolName;
    }

    /** As people call it. */
    @Override
    public String toString() {
        return switch (this) {
            case V3_1 -> "MQTT 3.1";
            case V3_1_1 -> "MQTT 3.1.1";
            case V5 -> "MQTT 5.0";
        };
    }

    /** The byte behind the protocol name. */
    public int level() {
        return level;
    }

    /** What a CONNECT of this version begins with. */
    public String protocolName() {
        return protocolName;
    }

    /** True for 5.0: packets carry properties and reason codes. */
    public boolean hasProperties() {
        return this == V5;
    }
}
