package io.mainstem.mqtt.wire;

/** Control packets, in the order of their codes 1 to 15 (MQTT 5.0, 2.1.2). */
public enum PacketType {
    CONNECT,
    CONNACK,
    PUBLISH,
    PUBACK,
    PUBREC,
    PUBREL,
    PUBCOMP,
    SUBSCRIBE,
    SUBACK,
    UNSUBSCRIBE,
    UNSUBACK,
    PINGREQ,
    PINGRESP,
    DISCONNECT,
    AUTH;

    private static final PacketType[] BY_CODE = values();

    /** The high four bits of the first byte. */
    public int code() {
        return ordinal() + 1;
    }

    /** What the low four bits of the first byte must be; those of PUBLISH are its own. */
    public int flags() {
        return this == PUBREL || this == SUBSCRIBE || this == UNSUBSCRIBE ? 2 : 0;
    }

    static PacketType of(int code) {
        return BY_CODE[code - 1];
    }
}
