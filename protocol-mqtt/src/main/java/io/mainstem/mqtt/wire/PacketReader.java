package io.mainstem.mqtt.wire;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Takes packets of a client off a stream. Checks everything that one packet alone shows: fixed header, lengths, UTF-8,
 * reserved bits, packet ids, properties. Throws {@link MqttViolation}, and for a CONNECT {@link BrokenConnect} or {@link
 * UnsupportedVersion}, and nothing else. Keeps no state: one serves all
 * connections. Thread: any.
 */
public final class PacketReader {
    /** Topic filters of one packet: each of them is work, and a packet holds a million. */
    public static final int FILTERS_MAX = 1_024;

    private static final int LENGTH_BYTES_MAX = 4;

    private final int packetBytesMax;

    /** @param packetBytesMax largest packet taken, fixed header included */
    public PacketReader(int packetBytesMax) {
        this.packetBytesMax = packetBytesMax;
    }

    /**
     * The next packet, or null if it is not complete yet.
     *
     * @param version of the connection; null = only a CONNECT may come
     */
    public @Nullable Packet next(ByteBuf in, @Nullable Version version) {
        int start = in.readerIndex();
        int available = in.readableBytes();
        if (available < 1) {
            return null;
        }
        int first = in.getUnsignedByte(start);
        PacketType type = type(first, version);
        int length = 0;
        int headerBytes = 1;
        while (true) {
            if (headerBytes > LENGTH_BYTES_MAX) {
                throw MqttViolation.malformed("remaining length has more than 4 bytes");
            }
            if (available <= headerBytes) {
                return null;
            }
            int next = in.getUnsignedByte(start + headerBytes);
            length |= (next & 0x7F) << (7 * (headerBytes - 1));
            headerBytes++;
            if (next < 0x80) {
                if (next == 0 && headerBytes > 2) {
                    throw MqttViolation.malformed("remaining length is longer than needed");
                }
                break;
            }
        }
        if (headerBytes + length > packetBytesMax) {
            throw new MqttViolation(
                    Reason.PACKET_TOO_LARGE,
                    "MS-0603 limit: " + type + " of " + (headerBytes + length) + " bytes (limit: " + packetBytesMax
                            + ")");
        }
        if (available < headerBytes + length) {
            return null;
        }
        in.skipBytes(headerBytes);
        PacketBytes body = new PacketBytes(in, in.readerIndex() + length);
        Packet packet = read(type, first & 15, body, version);
        body.expectEnd(type);
        return packet;
    }

    private static PacketType type(int first, @Nullable Version version) {
        int code = first >>> 4;
        if (code == 0 || (code == 15 && version != null && !version.hasProperties())) {
            throw MqttViolation.malformed("packet type " + code);
        }
        PacketType type = PacketType.of(code);
        if (type != PacketType.PUBLISH && (first & 15) != type.flags()) {
            throw MqttViolation.malformed(type + " with flags " + (first & 15) + " (expected: " + type.flags() + ")");
        }
        if (version == null && type != PacketType.CONNECT) {
            throw MqttViolation.protocol(type + " before CONNECT");
        }
        return type;
    }

    private static Packet read(PacketType type, int flags, PacketBytes in, @Nullable Version version) {
        if (version == null) {
            return ConnectReader.read(in);
        }
        return switch (type) {
            case CONNECT -> throw MqttViolation.protocol("a second CONNECT");
            case PUBLISH -> publish(flags, in, version);
            case PUBACK, PUBREC, PUBREL, PUBCOMP -> ack(type, in, version);
            case SUBSCRIBE -> subscribe(in, version);
            case UNSUBSCRIBE -> unsubscribe(in, version);
            case PINGREQ -> new Packet.Ping();
            case DISCONNECT -> disconnect(in, version);
            case AUTH -> auth(in);
            case CONNACK, SUBACK, UNSUBACK, PINGRESP -> throw MqttViolation.protocol(type + " from a client");
        };
    }

    private static Packet publish(int flags, PacketBytes in, Version version) {
        boolean dup = (flags & 8) != 0;
        int qos = flags >> 1 & 3;
        if (qos == 3) {
            throw MqttViolation.malformed("PUBLISH with QoS 3");
        }
        if (dup && qos == 0) {
            throw MqttViolation.malformed("PUBLISH with DUP and QoS 0");
        }
        String topic = in.text("the topic");
        int packetId = qos == 0 ? 0 : packetId(in, PacketType.PUBLISH);
        Properties properties =
                version.hasProperties() ? PropertyReader.read(in, Property.Carrier.PUBLISH) : Properties.NONE;
        if (!properties.subscriptionIds().isEmpty()) {
            throw MqttViolation.protocol("subscription identifier in a PUBLISH from a client");
        }
        return new Packet.Publish(dup, qos, (flags & 1) != 0, topic, packetId, properties, in.rest());
    }

    private static Packet ack(PacketType type, PacketBytes in, Version version) {
        int packetId = packetId(in, type);
        if (!version.hasProperties() || in.remaining() == 0) {
            return new Packet.Ack(type, packetId, 0, Properties.NONE);
        }
        int reason = in.u8();
        checkAckReason(type, reason);
        Properties properties =
                in.remaining() == 0 ? Properties.NONE : PropertyReader.read(in, Property.Carrier.valueOf(type.name()));
        return new Packet.Ack(type, packetId, reason, properties);
    }

    private static void checkAckReason(PacketType type, int reason) {
        boolean known = reason == 0
                || ((type == PacketType.PUBREL || type == PacketType.PUBCOMP)
                        ? reason == 0x92
                        : switch (reason) {
                            case 0x10, 0x80, 0x83, 0x87, 0x90, 0x91, 0x97, 0x99 -> true;
                            default -> false;
                        });
        if (!known) {
            throw MqttViolation.malformed(type + " with reason code 0x" + Integer.toHexString(reason));
        }
    }

    private static Packet subscribe(PacketBytes in, Version version) {
        int packetId = packetId(in, PacketType.SUBSCRIBE);
        Properties properties =
                version.hasProperties() ? PropertyReader.read(in, Property.Carrier.SUBSCRIBE) : Properties.NONE;
        List<Packet.Filter> filters = new ArrayList<>();
        while (in.remaining() > 0) {
            String text = filter(in, filters.size(), PacketType.SUBSCRIBE);
            int options = in.u8();
            int reserved = version.hasProperties() ? 0xC0 : 0xFC;
            int retainHandling = options >> 4 & 3;
            if ((options & reserved) != 0 || (options & 3) == 3 || retainHandling == 3) {
                throw MqttViolation.malformed("subscription options 0x" + Integer.toHexString(options));
            }
            filters.add(new Packet.Filter(text, options & 3, (options & 4) != 0, (options & 8) != 0, retainHandling));
        }
        if (filters.isEmpty()) {
            throw MqttViolation.protocol("SUBSCRIBE without a topic filter");
        }
        return new Packet.Subscribe(packetId, filters, properties);
    }

    private static Packet unsubscribe(PacketBytes in, Version version) {
        int packetId = packetId(in, PacketType.UNSUBSCRIBE);
        Properties properties =
                version.hasProperties() ? PropertyReader.read(in, Property.Carrier.UNSUBSCRIBE) : Properties.NONE;
        List<String> filters = new ArrayList<>();
        while (in.remaining() > 0) {
            filters.add(filter(in, filters.size(), PacketType.UNSUBSCRIBE));
        }
        if (filters.isEmpty()) {
            throw MqttViolation.protocol("UNSUBSCRIBE without a topic filter");
        }
        return new Packet.Unsubscribe(packetId, filters, properties);
    }

    private static String filter(PacketBytes in, int before, PacketType type) {
        if (before == FILTERS_MAX) {
            throw new MqttViolation(
                    Reason.QUOTA_EXCEEDED,
                    "MS-0603 limit: " + type + " with more than " + FILTERS_MAX
                            + " topic filters fix: send them in several packets");
        }
        String text = in.text("a topic filter");
        if (text.isEmpty()) {
            throw MqttViolation.malformed(type + " with an empty topic filter");
        }
        return text;
    }

    private static Packet disconnect(PacketBytes in, Version version) {
        if (!version.hasProperties() || in.remaining() == 0) {
            return new Packet.Disconnect(0, Properties.NONE);
        }
        int reason = in.u8();
        boolean known = reason == 0
                || reason == 4
                || switch (reason) {
                    case 0x80, 0x81, 0x82, 0x83, 0x90, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99 -> true;
                    default -> false;
                };
        if (!known) {
            throw MqttViolation.protocol("DISCONNECT with reason code 0x" + Integer.toHexString(reason));
        }
        Properties properties =
                in.remaining() == 0 ? Properties.NONE : PropertyReader.read(in, Property.Carrier.DISCONNECT);
        if (properties.has(Property.SERVER_REFERENCE)) {
            throw MqttViolation.protocol("server reference in a DISCONNECT from a client");
        }
        return new Packet.Disconnect(reason, properties);
    }

    private static Packet auth(PacketBytes in) {
        if (in.remaining() == 0) {
            return new Packet.Auth(0, Properties.NONE);
        }
        int reason = in.u8();
        if (reason != 0x18 && reason != 0x19) {
            throw MqttViolation.protocol("AUTH with reason code 0x" + Integer.toHexString(reason));
        }
        Properties properties = in.remaining() == 0 ? Properties.NONE : PropertyReader.read(in, Property.Carrier.AUTH);
        return new Packet.Auth(reason, properties);
    }

    private static int packetId(PacketBytes in, PacketType type) {
        int packetId = in.u16();
        if (packetId == 0) {
            throw MqttViolation.protocol(type + " with packet id 0");
        }
        return packetId;
    }
}
