package io.mainstem.amqp.v1;

import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ClientInfo;

/**
 * What a connection has from the peer's open on.
 *
 * @param connectionId in the list of open connections
 * @param soleContainer it holds its container-id against others
 * @param remoteFrameBytesMax largest frame the peer takes
 */
record Opened(
        ClientInfo client,
        long connectionId,
        BrokerSession broker,
        boolean soleContainer,
        int remoteFrameBytesMax,
        Transactions transactions,
        DynamicNodes dynamicNodes,
        TargetAttachments targets,
        SourceAttachments sources) {}
