package io.mainstem.launcher.config;

import java.util.Map;

/** A checked value for every key, with its origin. Immutable. */
public final class Settings {
    private final Map<String, Setting> byKey;

    Settings(Map<String, Setting> byKey) {
        this.byKey = Map.copyOf(byKey);
    }

    /** The value of a key; there always is one. */
    @SuppressWarnings("unchecked") // Values were made by the key's own type.
    public <T> T get(ConfigKey<T> key) {
        return (T) setting(key).value();
    }

    /** Text and origin of a key. */
    public Setting setting(ConfigKey<?> key) {
        Setting setting = byKey.get(key.name());
        if (setting == null) {
            throw new IllegalArgumentException(key.name() + ": not in the registry of keys");
        }
        return setting;
    }

    /**
     * One checked value.
     *
     * @param text as written
     * @param value as read
     */
    public record Setting(ConfigKey<?> key, String text, Object value, Origin origin) {}
}
