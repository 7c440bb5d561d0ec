package io.mainstem.jms;

import io.mainstem.jms.amqp.AmqpTransport;
import io.mainstem.jms.failover.FailoverTransport;
import io.mainstem.jms.link.LinkTransport;
import io.mainstem.jms.options.Options;

/** Which transport the options ask for. Thread: any. */
final class Transports {
    private static final LinkTransport AMQP = new AmqpTransport();

    private Transports() {}

    static LinkTransport of(Options options) {
        return options.failover() == null ? AMQP : new FailoverTransport(AMQP);
    }
}
