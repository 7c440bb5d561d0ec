package io.mainstem.mqtt.wire;

import org.jspecify.annotations.Nullable;

/** Reads CONNECT, the one packet that says which version the others follow. */
final class ConnectReader {
    private static final int USER = 0x80;
    private static final int PASSWORD = 0x40;
    private static final int WILL_RETAIN = 0x20;
    private static final int WILL = 0x04;
    private static final int CLEAN_START = 0x02;

    private ConnectReader() {}

    static Packet.Connect read(PacketBytes in) {
        String name = in.text("the protocol name");
        Version version = version(name, in.u8());
        int flags = in.u8();
        checkFlags(flags, version);
        int keepAlive = in.u16();
        Properties properties =
                version.hasProperties() ? PropertyReader.read(in, Property.Carrier.CONNECT) : Properties.NONE;
        if (properties.has(Property.AUTHENTICATION_DATA) && !properties.has(Property.AUTHENTICATION_METHOD)) {
            throw MqttViolation.protocol("AUTHENTICATION_DATA without AUTHENTICATION_METHOD");
        }
        String clientId = in.text("the client identifier");
        Packet.@Nullable Will will = (flags & WILL) == 0 ? null : will(in, flags, version);
        String user = (flags & USER) == 0 ? null : in.text("the user name");
        byte[] password = (flags & PASSWORD) == 0 ? null : in.binary();
        return new Packet.Connect(
                version, (flags & CLEAN_START) != 0, keepAlive, clientId, will, user, password, properties);
    }

    private static Packet.Will will(PacketBytes in, int flags, Version version) {
        Properties properties =
                version.hasProperties() ? PropertyReader.read(in, Property.Carrier.WILL) : Properties.NONE;
        String topic = in.text("the will topic");
        byte[] payload = in.binary();
        return new Packet.Will(topic, payload, flags >> 3 & 3, (flags & WILL_RETAIN) != 0, properties);
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

    private static void checkFlags(int flags, Version version) {
        if ((flags & 1) != 0) {
            throw MqttViolation.malformed("CONNECT with the reserved flag");
        }
        boolean will = (flags & WILL) != 0;
        int willQos = flags >> 3 & 3;
        if (willQos == 3 || (!will && (willQos != 0 || (flags & WILL_RETAIN) != 0))) {
            throw MqttViolation.malformed("CONNECT with will flags 0x" + Integer.toHexString(flags));
        }
        if (!version.hasProperties() && (flags & PASSWORD) != 0 && (flags & USER) == 0) {
            throw MqttViolation.malformed("CONNECT with a password and no user name");
        }
    }
}
