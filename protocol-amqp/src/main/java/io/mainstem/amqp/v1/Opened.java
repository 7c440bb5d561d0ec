package io.mainstem.amqp.v1;

import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ClientInfo;

/**
 * What a connection has from the peer's open on.
 *
 * @param connectionId in the list of open connections
 * @param container how it holds its container-id
 * @param remoteFrameBytesMax largest frame the peer takes
 */
record Opened(
        ClientInfo client,
        long connectionId,
        BrokerSession broker,
        ContainerIds.Holder container,
        int remoteFrameBytesMax,
        Transactions transactions,
        DynamicNodes dynamicNodes,
        TargetAttachments targets,
        SourceAttachments sources) {}
