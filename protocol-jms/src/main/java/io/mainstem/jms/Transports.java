package io.mainstem.jms;

import io.mainstem.jms.amqp.AmqpTransport;
import io.mainstem.jms.failover.FailoverTransport;
import io.mainstem.jms.link.ConnectRequest;
import io.mainstem.jms.link.ConnectionLost;
import io.mainstem.jms.link.LinkConnection;
import io.mainstem.jms.link.LinkTransport;
import io.mainstem.jms.options.Endpoint;
import io.mainstem.jms.options.Options;
import io.mainstem.jms.vm.VmBrokers;
import jakarta.jms.JMSException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Which transport the options ask for. Thread: any. */
final class Transports {
    private static final LinkTransport AMQP = new AmqpTransport();
    private static final LinkTransport SINGLE = Transports::connect;

    private Transports() {}

    static LinkTransport of(Options options) {
        return options.failover() == null ? SINGLE : new FailoverTransport(SINGLE);
    }

    private static CompletionStage<LinkConnection> connect(ConnectRequest request, ConnectionLost lost) {
        Endpoint endpoint = request.endpoint();
        if (endpoint.scheme() != Endpoint.Scheme.VM) {
            return AMQP.connect(request, lost);
        }
        LinkTransport broker = VmBrokers.find(endpoint.host());
        return broker == null
                ? CompletableFuture.failedFuture(new JMSException(
                        "MS-0718 no broker '" + endpoint.host() + "' in this JVM; there are " + VmBrokers.names()
                                + "; fix: start it first, or correct the name",
                        "MS-0718"))
                : broker.connect(request, lost);
    }
}
