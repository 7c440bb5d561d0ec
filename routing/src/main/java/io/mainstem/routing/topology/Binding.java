package io.mainstem.routing.topology;

import io.mainstem.routing.BindingSpec;

/**
 * A binding made ready for matching. Immutable. Equal by identity of the binding.
 *
 * @param durable both ends survive a restart, and so does it
 * @param mqtt made by an MQTT subscription: the rules [A-6] and [A-7] restrict it
 * @param wildcardFirst the key's first word is a wildcard
 */
record Binding(BindingId id, BindingSpec spec, boolean durable, boolean mqtt, boolean wildcardFirst) {
    static Binding of(BindingSpec spec, boolean durable) {
        String key = spec.key();
        boolean wildcard = key.startsWith("*") || key.startsWith("#");
        boolean mqtt = Boolean.TRUE.equals(spec.arguments().get("mqtt"));
        return new Binding(
                BindingId.of(spec), spec, durable, mqtt, wildcard && (key.length() == 1 || key.charAt(1) == '.'));
    }

    /** False if the key matches the pattern but is hidden from an MQTT subscriber. */
    boolean visibleTo(String key) {
        if (!mqtt) {
            return true;
        }
        boolean hidden = wildcardFirst && key.startsWith("$");
        return !hidden && TopicNames.mappable(key);
    }

    Destination destination() {
        return new Destination(spec.destination(), spec.toQueue());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Binding binding && binding.id.equals(id);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }
}
