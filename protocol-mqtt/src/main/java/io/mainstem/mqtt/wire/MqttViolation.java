package io.mainstem.mqtt.wire;

import java.io.Serial;

/** The peer broke a rule; the connection ends with this reason (5.0), or just ends (3.x). */
public final class MqttViolation extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final Reason reason;

    /** @param text for logs and for the peer: code, what was found and what was expected */
    public MqttViolation(Reason reason, String text) {
        super(Fixes.in(text), null, false, false);
        this.reason = reason;
    }

    /** Bytes that are no packet. */
    public static MqttViolation malformed(String text) {
        return new MqttViolation(Reason.MALFORMED_PACKET, "MS-0601 malformed packet: " + text);
    }

    /** A packet that is well formed and not allowed. */
    public static MqttViolation protocol(String text) {
        return new MqttViolation(Reason.PROTOCOL_ERROR, "MS-0602 protocol error: " + text);
    }

    /** What 5.0 calls it. */
    public Reason reason() {
        return reason;
    }
}
