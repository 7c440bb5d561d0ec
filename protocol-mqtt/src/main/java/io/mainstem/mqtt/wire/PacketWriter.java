package io.mainstem.mqtt.wire;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.List;

/** Packets of a server as bytes. Thread: any. */
public final class PacketWriter {
    /** The least needed first. */
    private static final List<Property> DISPENSABLE = List.of(
            Property.USER_PROPERTY,
            Property.REASON_STRING,
            Property.RESPONSE_INFORMATION,
            Property.TOPIC_ALIAS_MAXIMUM);

    private PacketWriter() {}

    /**
     * CONNACK.
     *
     * @param reason of 5.0, or return code of 3.x
     */
    public static void connack(
            ByteBuf out, Version version, boolean sessionPresent, int reason, Properties properties) {
        int propertyBytes = propertyBytes(version, properties);
        header(out, PacketType.CONNACK, 0, 2 + propertyBytes);
        out.writeByte(sessionPresent ? 1 : 0);
        out.writeByte(reason);
        properties(out, version, properties);
    }

    /** PUBACK, PUBREC, PUBREL or PUBCOMP; reason and properties only where they say something. */
    public static void ack(
            ByteBuf out, Version version, PacketType type, int packetId, Reason reason, Properties properties) {
        boolean brief = !version.hasProperties() || (reason == Reason.SUCCESS && properties.isEmpty());
        if (brief) {
            header(out, type, type.flags(), 2);
            out.writeShort(packetId);
        } else if (properties.isEmpty()) {
            header(out, type, type.flags(), 3);
            out.writeShort(packetId);
            out.writeByte(reason.code());
        } else {
            header(out, type, type.flags(), 3 + propertyBytes(version, properties));
            out.writeShort(packetId);
            out.writeByte(reason.code());
            properties(out, version, properties);
        }
    }

    /** SUBACK or UNSUBACK; the UNSUBACK of 3.x has no codes. */
    public static void filtersAck(
            ByteBuf out, Version version, PacketType type, int packetId, List<Integer> codes, Properties properties) {
        boolean withCodes = type == PacketType.SUBACK || version.hasProperties();
        header(out, type, 0, 2 + propertyBytes(version, properties) + (withCodes ? codes.size() : 0));
        out.writeShort(packetId);
        properties(out, version, properties);
        if (withCodes) {
            codes.forEach(out::writeByte);
        }
    }

    /** PINGRESP. */
    public static void pingResponse(ByteBuf out) {
        header(out, PacketType.PINGRESP, 0, 0);
    }

    /** DISCONNECT; 5.0 only. */
    public static void disconnect(ByteBuf out, Reason reason, Properties properties) {
        header(out, PacketType.DISCONNECT, 0, 1 + propertyBytes(Version.V5, properties));
        out.writeByte(reason.code());
        properties(out, Version.V5, properties);
    }

    /** AUTH; 5.0 only. */
    public static void auth(ByteBuf out, Reason reason, Properties properties) {
        header(out, PacketType.AUTH, 0, 1 + propertyBytes(Version.V5, properties));
        out.writeByte(reason.code());
        properties(out, Version.V5, properties);
    }

    /**
     * PUBLISH up to the payload, which the caller writes.
     *
     * @param flags DUP, QoS and RETAIN as they stand in the first byte
     */
    public static void publish(
            ByteBuf out,
            Version version,
            int flags,
            String topic,
            int packetId,
            Properties properties,
            int payloadBytes) {
        int topicBytes = ByteBufUtil.utf8Bytes(topic);
        header(out, PacketType.PUBLISH, flags, publishBytes(version, flags, topicBytes, properties, payloadBytes));
        out.writeShort(topicBytes);
        ByteBufUtil.writeUtf8(out, topic);
        if ((flags & 6) != 0) {
            out.writeShort(packetId);
        }
        properties(out, version, properties);
    }

    /** Bytes of a whole PUBLISH, fixed header included. */
    public static int publishSize(Version version, int flags, String topic, Properties properties, int payloadBytes) {
        int body = publishBytes(version, flags, ByteBufUtil.utf8Bytes(topic), properties, payloadBytes);
        return 1 + varintBytes(body) + body;
    }

    /** Bytes of a packet whose body is properties and {@code otherBytes}, fixed header included. */
    public static int size(Version version, Properties properties, int otherBytes) {
        int body = otherBytes + propertyBytes(version, properties);
        return 1 + varintBytes(body) + body;
    }

    /**
     * Leaves out what a client can do without until the packet fits [MQTT-3.1.2-24].
     *
     * @param properties changed
     */
    public static void trim(Properties properties, int otherBytes, long packetBytesMax) {
        for (Property each : DISPENSABLE) {
            if (size(Version.V5, properties, otherBytes) > packetBytesMax) {
                properties.remove(each);
            }
        }
    }

    private static int publishBytes(
            Version version, int flags, int topicBytes, Properties properties, int payloadBytes) {
        return 2 + topicBytes + ((flags & 6) != 0 ? 2 : 0) + propertyBytes(version, properties) + payloadBytes;
    }

    private static void header(ByteBuf out, PacketType type, int flags, int length) {
        out.writeByte(type.code() << 4 | flags);
        varint(out, length);
    }

    private static int propertyBytes(Version version, Properties properties) {
        if (!version.hasProperties()) {
            return 0;
        }
        int length = contentBytes(properties);
        return varintBytes(length) + length;
    }

    private static int contentBytes(Properties properties) {
        if (properties.isEmpty()) {
            return 0;
        }
        int bytes = 0;
        for (var entry : properties.values().entrySet()) {
            bytes += 1
                    + switch (entry.getKey().kind()) {
                        case FLAG -> 1;
                        case U16 -> 2;
                        case U32 -> 4;
                        case TEXT -> 2 + ByteBufUtil.utf8Bytes((String) entry.getValue());
                        case BINARY -> 2 + ((byte[]) entry.getValue()).length;
                        case VARINT, PAIR -> throw new IllegalStateException("kept elsewhere: " + entry.getKey());
                    };
        }
        for (int id : properties.subscriptionIds()) {
            bytes += 1 + varintBytes(id);
        }
        for (Properties.UserProperty each : properties.user()) {
            bytes += 5 + ByteBufUtil.utf8Bytes(each.name()) + ByteBufUtil.utf8Bytes(each.value());
        }
        return bytes;
    }

    private static void properties(ByteBuf out, Version version, Properties properties) {
        if (!version.hasProperties()) {
            return;
        }
        varint(out, contentBytes(properties));
        properties.values().forEach((property, value) -> {
            out.writeByte(property.code());
            switch (property.kind()) {
                case FLAG -> out.writeByte(((Long) value).intValue());
                case U16 -> out.writeShort(((Long) value).intValue());
                case U32 -> out.writeInt(((Long) value).intValue());
                case TEXT -> text(out, (String) value);
                case BINARY -> {
                    out.writeShort(((byte[]) value).length);
                    out.writeBytes((byte[]) value);
                }
                case VARINT, PAIR -> throw new IllegalStateException("kept elsewhere: " + property);
            }
        });
        for (int id : properties.subscriptionIds()) {
            out.writeByte(Property.SUBSCRIPTION_ID.code());
            varint(out, id);
        }
        for (Properties.UserProperty each : properties.user()) {
            out.writeByte(Property.USER_PROPERTY.code());
            text(out, each.name());
            text(out, each.value());
        }
    }

    private static void text(ByteBuf out, String text) {
        out.writeShort(ByteBufUtil.utf8Bytes(text));
        ByteBufUtil.writeUtf8(out, text);
    }

    private static void varint(ByteBuf out, int value) {
        int rest = value;
        while (rest > 0x7F) {
            out.writeByte((rest & 0x7F) | 0x80);
            rest >>>= 7;
        }
        out.writeByte(rest);
    }

    private static int varintBytes(int value) {
        return value < 1 << 7 ? 1 : value < 1 << 14 ? 2 : value < 1 << 21 ? 3 : 4;
    }
}
