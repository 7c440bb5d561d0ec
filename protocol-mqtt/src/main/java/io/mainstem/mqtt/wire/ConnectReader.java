package io.mainstem.mqtt.wire;

import org.jspecify.annotations.Nullable;

/** Reads CONNECT, the one packet that says which version the others follow. */
final class ConnectReader {
    private static final int USER = 0x80;
    private static final int PASSWORD = 0x40;
    private static final int WILL_RETAIN = 0x20;
    private static final int WILL = 0x04;
    private static final int CLEAN_START = 0x02;

    private final PacketBytes in;
    private final Version version;
    private Properties properties = Properties.NONE;

    private ConnectReader(PacketBytes in, Version version) {
        this.in = in;
        this.version = version;
    }

    /** @throws BrokenConnect once it is known in which version the client can be told so */
    static Packet.Connect read(PacketBytes in) {
        String name = in.text("the protocol name");
        ConnectReader reader = new ConnectReader(in, version(name, in.u8()));
        try {
            Packet.Connect connect = reader.connect();
            in.expectEnd(PacketType.CONNECT);
            return connect;
        } catch (MqttViolation broken) {
            throw new BrokenConnect(reader.version, reader.properties, broken);
        }
    }

    private Packet.Connect connect() {
        int flags = in.u8();
        checkFlags(flags);
        int keepAlive = in.u16();
        if (version.hasProperties()) {
            properties = PropertyReader.read(in, Property.Carrier.CONNECT);
        }
        if (properties.has(Property.AUTHENTICATION_DATA) && !properties.has(Property.AUTHENTICATION_METHOD)) {
            throw MqttViolation.protocol("authentication data without authentication method");
        }
        String clientId = in.text("the client identifier");
        Packet.@Nullable Will will = (flags & WILL) == 0 ? null : will(flags);
        String user = (flags & USER) == 0 ? null : in.text("the user name");
        byte[] password = (flags & PASSWORD) == 0 ? null : in.binary();
        return new Packet.Connect(
                version, (flags & CLEAN_START) != 0, keepAlive, clientId, will, user, password, properties);
    }

    private Packet.Will will(int flags) {
        Properties its = version.hasProperties() ? PropertyReader.read(in, Property.Carrier.WILL) : Properties.NONE;
        String topic = in.text("the will topic");
        byte[] payload = in.binary();
        return new Packet.Will(topic, payload, flags >> 3 & 3, (flags & WILL_RETAIN) != 0, its);
    }

    private static Version version(String name, int level) {
        for (Version version : Version.values()) {
            if (version.protocolName().equals(name) && version.level() == level) {
                return version;
            }
        }
        if (name.equals("MQTT") || name.equals("MQIsdp")) {
            throw new UnsupportedVersion(level);
        }
        throw MqttViolation.protocol("the protocol name is of " + name.length() + " characters and none of MQTT's");
    }

    /** In 3.1 the reserved flag is not used, and nor are those of a will without a will. */
    private void checkFlags(int flags) {
        boolean strict = version != Version.V3_1;
        if (strict && (flags & 1) != 0) {
            throw MqttViolation.malformed("CONNECT with the reserved flag");
        }
        boolean will = (flags & WILL) != 0;
        int willQos = flags >> 3 & 3;
        boolean idle = !will && strict && (willQos != 0 || (flags & WILL_RETAIN) != 0);
        if (idle || (will && willQos == 3)) {
            throw MqttViolation.malformed("CONNECT with will flags 0x" + Integer.toHexString(flags));
        }
        if (!version.hasProperties() && (flags & PASSWORD) != 0 && (flags & USER) == 0) {
            throw MqttViolation.malformed("CONNECT with a password and no user name");
        }
    }
}
