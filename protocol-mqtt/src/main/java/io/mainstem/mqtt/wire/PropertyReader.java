package io.mainstem.mqtt.wire;

/** Reads and checks the properties of a packet: known, allowed there, in range, not twice. */
final class PropertyReader {
    /** Bounds what one packet's user properties take on the heap. */
    private static final int USER_PROPERTIES_MAX = 1024;

    private PropertyReader() {}

    static Properties read(PacketBytes in, Property.Carrier carrier) {
        int length = in.varint();
        if (length == 0) {
            return Properties.NONE;
        }
        Properties properties = new Properties();
        int outer = in.enter(length);
        while (in.remaining() > 0) {
            int code = in.varint();
            Property property = Property.of(code);
            if (property == null) {
                throw MqttViolation.malformed("unknown property 0x" + Integer.toHexString(code));
            }
            if (!property.allowedIn(carrier)) {
                throw MqttViolation.malformed(property + " in " + carrier);
            }
            read(in, property, properties);
        }
        in.leave(outer);
        return properties;
    }

    private static void read(PacketBytes in, Property property, Properties into) {
        switch (property.kind()) {
            case FLAG -> number(property, in.u8(), into);
            case U16 -> number(property, in.u16(), into);
            case U32 -> number(property, in.u32(), into);
            case VARINT -> {
                int id = in.varint();
                checkRange(property, id);
                if (!into.subscriptionIds().isEmpty()) {
                    throw twice(property);
                }
                into.addSubscriptionId(id);
            }
            case TEXT -> {
                checkOnce(property, into);
                into.put(property, in.text(property.toString()));
            }
            case BINARY -> {
                checkOnce(property, into);
                into.put(property, in.binary());
            }
            case PAIR -> {
                if (into.user().size() == USER_PROPERTIES_MAX) {
                    throw new MqttViolation(
                            Reason.QUOTA_EXCEEDED,
                            "MS-0603 limit: more than " + USER_PROPERTIES_MAX + " user properties in one packet");
                }
                String name = in.text("a user property's name");
                into.addUser(name, in.text("a user property's value"));
            }
        }
    }

    private static void number(Property property, long value, Properties into) {
        checkOnce(property, into);
        checkRange(property, value);
        into.put(property, value);
    }

    private static void checkRange(Property property, long value) {
        if (property == Property.TOPIC_ALIAS && value == 0) {
            throw new MqttViolation(Reason.TOPIC_ALIAS_INVALID, "MS-0602 protocol error: topic alias 0");
        }
        if (property.refuses(value)) {
            throw MqttViolation.protocol(property + " " + value);
        }
    }

    private static void checkOnce(Property property, Properties into) {
        if (into.has(property)) {
            throw twice(property);
        }
    }

    private static MqttViolation twice(Property property) {
        return MqttViolation.protocol(property + " twice");
    }
}
