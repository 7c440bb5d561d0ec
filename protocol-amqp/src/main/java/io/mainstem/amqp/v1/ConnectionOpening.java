package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.management.ManagementNode;
import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ClientInfo;
import io.mainstem.routing.ErrorKind;
import io.mainstem.transport.Connections;
import io.mainstem.transport.HandshakeGuard;
import org.apache.qpid.proton.amqp.transport.ConnectionError;
import org.apache.qpid.proton.amqp.transport.Open;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The exchange of open performatives: finds the virtual host, takes the container-id, makes what the connection needs
 * from then on. Thread: the connection's event loop.
 */
final class ConnectionOpening {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionOpening.class);

    private final AmqpConnection connection;
    private final AmqpProtocol protocol;
    private final Connections.Moment since;
    private boolean openSent;

    private record Connected(ClientInfo client, BrokerSession broker) {}

    ConnectionOpening(AmqpConnection connection, AmqpProtocol protocol) {
        this.connection = connection;
        this.protocol = protocol;
        this.since = protocol.connections().moment();
    }

    /** Answers the peer's open. @throws AmqpException for the connection */
    Opened onOpen(Open open) {
        OpenNegotiation.check(open);
        boolean sole = Capabilities.has(open.getDesiredCapabilities(), Capabilities.SOLE_CONNECTION);
        Connected connected = connect(client(open), OpenNegotiation.demandedVirtualHost(open) != null);
        ClientInfo client = connected.client();
        ContainerIds.Enforcement enforcement = SoleConnection.enforcement(open);
        ContainerIds.Holder container = new ContainerIds.Holder(
                client.virtualHost(), client.clientId(), client.user(), sole, this::endForAnother);
        if (!protocol.containerIds().take(container, enforcement)) {
            connected.broker().close();
            throw OpenNegotiation.containerInUse(open.getContainerId());
        }
        Opened opened = opened(open, client, connected.broker(), container);
        openSent = true;
        Open answer = protocol.openNegotiation().answer();
        if (sole) {
            SoleConnection.grant(answer, enforcement);
        }
        connection.output().frame(0, answer);
        long peerTimeoutMs =
                open.getIdleTimeOut() == null ? 0 : open.getIdleTimeOut().longValue();
        connection.idle().start(protocol.limits().idleTimeoutMs(), peerTimeoutMs);
        connection.context().pipeline().fireUserEventTriggered(HandshakeGuard.DONE);
        LOG.debug("connection opened peer={} container={}", client.peer(), client.clientId());
        return opened;
    }

    /** Another connection of the same container wants to be the only one. */
    private void endForAnother() {
        connection.context().executor().execute(() -> connection.fail(SoleConnection.closed()));
    }

    private Opened opened(Open open, ClientInfo client, BrokerSession broker, ContainerIds.Holder container) {
        MessageIngress ingress = new MessageIngress(client, protocol.clock());
        Subscriptions subscriptions = new Subscriptions(broker, client.clientId(), connection::scheduleFlush);
        Transactions transactions = new Transactions(
                broker, connection.context().executor(), protocol.limits().transactionTimeoutMs());
        AddressResolver addresses =
                new AddressResolver(protocol.options(), (address, queue) -> isBound(broker, address, queue));
        ManagementLinks management = new ManagementLinks(new ManagementNode(
                broker,
                protocol.connections(),
                client,
                protocol.options().node(),
                connection::scheduleFlush,
                protocol.broker(),
                connection.context().executor()));
        DynamicNodes nodes =
                protocol.dynamicNodes(client.virtualHost(), connection.context().executor());
        DynamicNodeMaking making = new DynamicNodeMaking(broker, nodes, connection::scheduleFlush);
        return new Opened(
                client,
                list(client, OpenNegotiation.connectionName(open)),
                broker,
                container,
                OpenNegotiation.frameBytesMax(open),
                transactions,
                nodes,
                new TargetAttachments(broker, ingress, addresses, transactions, management, protocol.limits(), making),
                new SourceAttachments(
                        broker, subscriptions, new SourceFeeds(broker, addresses, subscriptions, making), management));
    }

    /** Lists the connection for operators, who may end it; returns its id. */
    private long list(ClientInfo client, @Nullable String name) {
        Connections connections = protocol.connections();
        Connections.Info info = new Connections.Info(
                connections.nextId(),
                client.protocol(),
                client.peer(),
                client.clientId(),
                name,
                client.user(),
                client.virtualHost(),
                protocol.clock().millis());
        connections.add(
                info,
                since,
                reason -> connection
                        .context()
                        .executor()
                        .execute(() ->
                                connection.fail(AmqpException.connection(ConnectionError.CONNECTION_FORCED, reason))));
        return info.id();
    }

    private static boolean isBound(BrokerSession broker, String topic, String queue) {
        for (BindingSpec binding : broker.bindingsOf(queue)) {
            if (binding.source().equals(AddressResolver.TOPIC_EXCHANGE)
                    && binding.key().equals(topic)) {
                return true;
            }
        }
        return false;
    }

    private ClientInfo client(Open open) {
        String demanded = OpenNegotiation.demandedVirtualHost(open);
        String host = demanded != null ? demanded : open.getHostname();
        return new ClientInfo(
                host == null || host.isEmpty() ? OpenNegotiation.DEFAULT_VIRTUAL_HOST : host,
                open.getContainerId(),
                connection.user(),
                connection.peer(),
                protocol.name());
    }

    /** Unknown host names are the default virtual host, unless the client names a virtual host as such. */
    private Connected connect(ClientInfo client, boolean demanded) {
        try {
            return new Connected(
                    client,
                    protocol.broker().connect(client, connection.context().executor()));
        } catch (BrokerException refused) {
            if (refused.kind() == ErrorKind.NOT_FOUND && !demanded) {
                ClientInfo fallback = new ClientInfo(
                        OpenNegotiation.DEFAULT_VIRTUAL_HOST,
                        client.clientId(),
                        client.user(),
                        client.peer(),
                        client.protocol());
                return connect(fallback, true);
            }
            throw AmqpException.connection(AmqpErrors.condition(refused.kind()), String.valueOf(refused.getMessage()));
        }
    }

    /** The standard wants an open before the close that refuses the connection. */
    void openBeforeClose() {
        if (!openSent) {
            openSent = true;
            connection.output().frame(0, protocol.openNegotiation().refusal());
        }
    }
}
