package io.mainstem.launcher.config;

import java.util.Locale;

/**
 * One thing that can be configured.
 *
 * @param name such as {@code store.segment-bytes}: a section, a dot, words in kebab-case, unit last
 * @param type form and range of its value
 * @param defaultText value when nobody sets it, as it would stand in the file
 * @param meaning one or two sentences for the operator
 */
public record ConfigKey<T>(String name, ValueType<T> type, String defaultText, String meaning) {
    /** The environment variable that sets it: {@code amqp.port} is {@code MAINSTEM_AMQP_PORT}. */
    public String environmentName() {
        return "MAINSTEM_" + name.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }

    /** The part before the dot. */
    public String section() {
        return name.substring(0, name.indexOf('.'));
    }

    /** The part after the dot. */
    public String shortName() {
        return name.substring(name.indexOf('.') + 1);
    }
}
