package io.mainstem.mqtt.wire;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The properties of one packet. Filled by one thread, then only read. User properties keep order and repeats
 * [MQTT-3.3.2-18].
 */
public final class Properties {
    /** None at all; not to be filled. */
    public static final Properties NONE = new Properties();

    private final Map<Property, Object> values = new EnumMap<>(Property.class);
    private List<UserProperty> user = List.of();
    private List<Integer> subscriptionIds = List.of();

    /** One name and value; names may repeat. */
    public record UserProperty(String name, String value) {}

    /** Sets a number. */
    public Properties put(Property property, long value) {
        values.put(property, value);
        return this;
    }

    /** Sets a text. */
    public Properties put(Property property, String value) {
        values.put(property, value);
        return this;
    }

    /** Sets bytes. */
    public Properties put(Property property, byte[] value) {
        values.put(property, value);
        return this;
    }

    /** Adds a user property behind those that are there. */
    public Properties addUser(String name, String value) {
        if (user.isEmpty()) {
            user = new ArrayList<>(2);
        }
        user.add(new UserProperty(name, value));
        return this;
    }

    /** Adds a subscription identifier; a PUBLISH to a client may have several. */
    public Properties addSubscriptionId(int id) {
        if (subscriptionIds.isEmpty()) {
            subscriptionIds = new ArrayList<>(1);
        }
        subscriptionIds.add(id);
        return this;
    }

    /** Takes a property away, for packets that would be too large with it. */
    void remove(Property property) {
        values.remove(property);
        if (property == Property.USER_PROPERTY) {
            user = List.of();
        }
    }

    /** The number, or {@code absent}. */
    public long number(Property property, long absent) {
        return values.get(property) instanceof Long value ? value : absent;
    }

    /** The text, or null. */
    public @Nullable String text(Property property) {
        return values.get(property) instanceof String value ? value : null;
    }

    /** The bytes, or null. */
    public byte @Nullable [] bytes(Property property) {
        return values.get(property) instanceof byte[] value ? value : null;
    }

    /** True if the property is there. */
    public boolean has(Property property) {
        return values.containsKey(property);
    }

    /** In order, with repeats. */
    public List<UserProperty> user() {
        return user;
    }

    /** In order. */
    public List<Integer> subscriptionIds() {
        return subscriptionIds;
    }

    /** All but user properties and subscription identifiers. */
    Map<Property, Object> values() {
        return values;
    }

    /** True if there are none. */
    public boolean isEmpty() {
        return values.isEmpty() && user.isEmpty() && subscriptionIds.isEmpty();
    }
}
