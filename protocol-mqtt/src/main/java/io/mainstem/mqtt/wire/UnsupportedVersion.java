package io.mainstem.mqtt.wire;

import java.io.Serial;

/** A CONNECT of another version of MQTT: it is told so before the connection ends. */
public final class UnsupportedVersion extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final int level;

    UnsupportedVersion(int level) {
        super("MS-0604 protocol level " + level + " (expected: 3 with MQIsdp, 4 or 5 with MQTT)", null, false, false);
        this.level = level;
    }

    /** What the client announced. */
    public int level() {
        return level;
    }
}
