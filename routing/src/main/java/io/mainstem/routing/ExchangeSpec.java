package io.mainstem.routing;

import java.util.Map;

/**
 * How an exchange is declared.
 *
 * @param internal only other exchanges may publish to it
 * @param arguments {@code alternate-exchange} (String)
 */
public record ExchangeSpec(
        String name,
        ExchangeType type,
        boolean durable,
        boolean autoDelete,
        boolean internal,
        Map<String, Object> arguments) {
    public ExchangeSpec {
        arguments = Map.copyOf(arguments);
    }
}
