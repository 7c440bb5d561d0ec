package io.mainstem.jms;

import io.mainstem.jms.amqp.AmqpTransport;
import io.mainstem.jms.link.LinkTransport;
import io.mainstem.jms.options.Endpoint;

/** Which transport an endpoint needs. Thread: any. */
final class Transports {
    private static final LinkTransport AMQP = new AmqpTransport();

    private Transports() {}

    static LinkTransport of(Endpoint endpoint) {
        return AMQP;
    }
}
