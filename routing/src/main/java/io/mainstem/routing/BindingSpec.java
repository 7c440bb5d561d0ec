package io.mainstem.routing;

import java.util.Map;

/**
 * Source exchange to queue or exchange. Its identity is all five fields.
 *
 * @param toQueue true: {@code destination} is a queue; false: an exchange
 * @param arguments for headers exchanges and options; values: String, Long, Boolean, Double, byte[] or
 *     {@link #VOID} for presence only. {@code x-jms-selector}, {@code x-sql-filter} and {@code x-no-local} make a
 *     {@link io.mainstem.routing.selector.BindingFilter}, on a binding of any exchange [S-11]
 */
public record BindingSpec(
        String source, String destination, boolean toQueue, String key, Map<String, Object> arguments) {
    /** A headers argument that tests for presence only. */
    public static final Object VOID = new Object() {
        @Override
        public String toString() {
            return "void";
        }
    };

    public BindingSpec {
        arguments = Map.copyOf(arguments);
    }
}
