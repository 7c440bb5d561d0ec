package io.mainstem.mqtt;

import java.util.List;

/**
 * How clients see what messages of other protocols have and MQTT has not.
 *
 * @param exposedAnnotations message annotations that become user properties of 5.0, in this order [M-9]
 * @param structuredBodiesAsJson maps, lists and the like come as JSON, with loss, not as AMQP encodes them [M-11]
 */
public record ForeignMessages(List<String> exposedAnnotations, boolean structuredBodiesAsJson) {
    /** No annotations; bodies as they are encoded. */
    public static final ForeignMessages DEFAULT = new ForeignMessages(List.of(), false);

    public ForeignMessages {
        exposedAnnotations = List.copyOf(exposedAnnotations);
    }
}
