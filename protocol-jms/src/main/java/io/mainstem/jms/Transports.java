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

/** Which transport the options ask for; of one factory, whose logins share what they have derived. Thread: any. */
final class Transports {
    private final LinkTransport amqp = new AmqpTransport();

    LinkTransport of(Options options) {
        return options.failover() == null ? this::connect : new FailoverTransport(this::connect);
    }

    private CompletionStage<LinkConnection> connect(ConnectRequest request, ConnectionLost lost) {
        Endpoint endpoint = request.endpoint();
        if (endpoint.scheme() != Endpoint.Scheme.VM) {
            return amqp.connect(request, lost);
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
