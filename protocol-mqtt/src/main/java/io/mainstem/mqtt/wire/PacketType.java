package io.mainstem.mqtt.wire;

/** Control packets, in the order of their codes 1 to 15 (MQTT 5.0, 2.1.2). */
public enum PacketType {
    CONNECT(1),
    CONNACK(2),
    PUBLISH(3),
    PUBACK(4),
    PUBREC(5),
    PUBREL(6),
    PUBCOMP(7),
    SUBSCRIBE(8),
    SUBACK(9),
    UNSUBSCRIBE(10),
    UNSUBACK(11),
    PINGREQ(12),
    PINGRESP(13),
    DISCONNECT(14),
    AUTH(15);

    private static final PacketType[] BY_CODE = values();

    private final int code;

    PacketType(int code) {
        this.code = code;
    }

    /** The high four bits of the first byte. */
    public int code() {
        return code;
    }

    /** What the low four bits of the first byte must be; those of PUBLISH are its own. */
    public int flags() {
        return this == PUBREL || this == SUBSCRIBE || this == UNSUBSCRIBE ? 2 : 0;
    }

    static PacketType of(int code) {
        return BY_CODE[code - 1];
    }
}
