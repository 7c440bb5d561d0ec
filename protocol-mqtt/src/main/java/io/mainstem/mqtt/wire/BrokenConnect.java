package io.mainstem.mqtt.wire;

import java.io.Serial;

/** A CONNECT that breaks a rule, of which so much is known that the client can be told. */
public final class BrokenConnect extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final transient Version version;
    private final transient Properties properties;
    private final MqttViolation violation;

    BrokenConnect(Version version, Properties properties, MqttViolation violation) {
        super(violation.getMessage(), violation, false, false);
        this.version = version;
        this.properties = properties;
        this.violation = violation;
    }

    /** What the client speaks. */
    public Version version() {
        return version;
    }

    /** Those that were read before it broke. */
    public Properties properties() {
        return properties;
    }

    /** What is wrong. */
    public MqttViolation violation() {
        return violation;
    }
}
