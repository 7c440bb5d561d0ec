package io.mainstem.mqtt.wire;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Properties of MQTT 5.0 (2.2.2.2): code, type, and the packets that may carry them. */
public enum Property {
    PAYLOAD_FORMAT(0x01, Kind.FLAG, Carrier.PUBLISH, Carrier.WILL),
    MESSAGE_EXPIRY(0x02, Kind.U32, Carrier.PUBLISH, Carrier.WILL),
    CONTENT_TYPE(0x03, Kind.TEXT, Carrier.PUBLISH, Carrier.WILL),
    RESPONSE_TOPIC(0x08, Kind.TEXT, Carrier.PUBLISH, Carrier.WILL),
    CORRELATION_DATA(0x09, Kind.BINARY, Carrier.PUBLISH, Carrier.WILL),
    SUBSCRIPTION_ID(0x0B, Kind.VARINT, Carrier.PUBLISH, Carrier.SUBSCRIBE),
    SESSION_EXPIRY(0x11, Kind.U32, Carrier.CONNECT, Carrier.CONNACK, Carrier.DISCONNECT),
    ASSIGNED_CLIENT_ID(0x12, Kind.TEXT, Carrier.CONNACK),
    SERVER_KEEP_ALIVE(0x13, Kind.U16, Carrier.CONNACK),
    AUTHENTICATION_METHOD(0x15, Kind.TEXT, Carrier.CONNECT, Carrier.CONNACK, Carrier.AUTH),
    AUTHENTICATION_DATA(0x16, Kind.BINARY, Carrier.CONNECT, Carrier.CONNACK, Carrier.AUTH),
    REQUEST_PROBLEM_INFORMATION(0x17, Kind.FLAG, Carrier.CONNECT),
    WILL_DELAY(0x18, Kind.U32, Carrier.WILL),
    REQUEST_RESPONSE_INFORMATION(0x19, Kind.FLAG, Carrier.CONNECT),
    RESPONSE_INFORMATION(0x1A, Kind.TEXT, Carrier.CONNACK),
    SERVER_REFERENCE(0x1C, Kind.TEXT, Carrier.CONNACK, Carrier.DISCONNECT),
    REASON_STRING(
            0x1F,
            Kind.TEXT,
            Carrier.CONNACK,
            Carrier.PUBACK,
            Carrier.PUBREC,
            Carrier.PUBREL,
            Carrier.PUBCOMP,
            Carrier.SUBACK,
            Carrier.UNSUBACK,
            Carrier.DISCONNECT,
            Carrier.AUTH),
    RECEIVE_MAXIMUM(0x21, Kind.U16, Carrier.CONNECT, Carrier.CONNACK),
    TOPIC_ALIAS_MAXIMUM(0x22, Kind.U16, Carrier.CONNECT, Carrier.CONNACK),
    TOPIC_ALIAS(0x23, Kind.U16, Carrier.PUBLISH),
    MAXIMUM_QOS(0x24, Kind.FLAG, Carrier.CONNACK),
    RETAIN_AVAILABLE(0x25, Kind.FLAG, Carrier.CONNACK),
    USER_PROPERTY(0x26, Kind.PAIR, Carrier.values()),
    MAXIMUM_PACKET_SIZE(0x27, Kind.U32, Carrier.CONNECT, Carrier.CONNACK),
    WILDCARD_AVAILABLE(0x28, Kind.FLAG, Carrier.CONNACK),
    SUBSCRIPTION_ID_AVAILABLE(0x29, Kind.FLAG, Carrier.CONNACK),
    SHARED_AVAILABLE(0x2A, Kind.FLAG, Carrier.CONNACK);

    /** What a property is encoded as. */
    enum Kind {
        /** One byte, 0 or 1. */
        FLAG,
        U16,
        U32,
        VARINT,
        TEXT,
        BINARY,
        PAIR
    }

    /** What may carry properties. */
    enum Carrier {
        CONNECT(1 << 0),
        CONNACK(1 << 1),
        PUBLISH(1 << 2),
        WILL(1 << 3),
        PUBACK(1 << 4),
        PUBREC(1 << 5),
        PUBREL(1 << 6),
        PUBCOMP(1 << 7),
        SUBSCRIBE(1 << 8),
        SUBACK(1 << 9),
        UNSUBSCRIBE(1 << 10),
        UNSUBACK(1 << 11),
        DISCONNECT(1 << 12),
        AUTH(1 << 13);

        private final int bit;

        Carrier(int bit) {
            this.bit = bit;
        }
    }

    private static final @Nullable Property[] BY_CODE = new Property[0x2B];

    static {
        for (Property property : values()) {
            BY_CODE[property.code] = property;
        }
    }

    private final int code;
    private final Kind kind;
    /** Their bits. */
    private final int carriers;

    Property(int code, Kind kind, Carrier... carriers) {
        this.code = code;
        this.kind = kind;
        int bits = 0;
        for (Carrier carrier : carriers) {
            bits |= carrier.bit;
        }
        this.carriers = bits;
    }

    /** As people call it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    int code() {
        return code;
    }

    Kind kind() {
        return kind;
    }

    boolean allowedIn(Carrier carrier) {
        return (carriers & carrier.bit) != 0;
    }

    /** Values that the type would hold and the standard forbids. */
    boolean refuses(long value) {
        return switch (this) {
            case RECEIVE_MAXIMUM, MAXIMUM_PACKET_SIZE, TOPIC_ALIAS, SUBSCRIPTION_ID -> value == 0;
            default -> kind == Kind.FLAG && value > 1;
        };
    }

    static @Nullable Property of(int code) {
        return code < BY_CODE.length ? BY_CODE[code] : null;
    }
}
