package io.mainstem.amqp.v1;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.TemporaryNodes;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.qpid.proton.amqp.messaging.TerminusExpiryPolicy;
import org.jspecify.annotations.Nullable;

/** Makes the nodes that dynamic termini ask for, and sees to their end. Thread: the connection's event loop. */
final class DynamicNodeMaking {
    private final BrokerSession broker;
    private final TemporaryNodes temporaryNodes;
    private final DynamicNodes nodes;
    private final Runnable flushSoon;

    /** @param flushSoon to be called after calls of the broker that no frame has led to */
    DynamicNodeMaking(BrokerSession broker, DynamicNodes nodes, Runnable flushSoon) {
        this.broker = broker;
        this.temporaryNodes = broker.temporaryNodes();
        this.nodes = nodes;
        this.flushSoon = flushSoon;
    }

    /** Completes with a node that is there, or exceptionally as routing says. */
    CompletionStage<DynamicNode> make(NodeProperties asked, TerminusExpiryPolicy expiry) {
        if (nodes.full()) {
            return CompletableFuture.failedFuture(new BrokerException(
                    ErrorKind.RESOURCE_LIMIT,
                    "MS-0523",
                    "a connection may have " + DynamicNodes.NODES_MAX + " temporary nodes.",
                    "close links whose nodes are not needed any more, or use more connections."));
        }
        if (asked.topic()) {
            return makeTopic(asked, expiry);
        }
        return temporaryNodes
                .makeQueue(UUID.randomUUID(), asked.wantedAddress())
                .thenApply(made -> {
                    String name = made.spec().name();
                    return nodes.made(name, asked.life(), expiry, ifEmpty -> removeQueue(name, ifEmpty));
                });
    }

    private CompletionStage<DynamicNode> makeTopic(NodeProperties asked, TerminusExpiryPolicy expiry) {
        String key;
        try {
            key = temporaryNodes.makeTopic(UUID.randomUUID(), asked.wantedAddress());
        } catch (BrokerException refused) {
            return CompletableFuture.failedFuture(refused);
        }
        return CompletableFuture.completedFuture(nodes.made(key, asked.life(), expiry, ifEmpty -> {
            temporaryNodes.deleteTopic(key);
            return CompletableFuture.completedFuture(key);
        }));
    }

    private CompletionStage<Long> removeQueue(String name, boolean ifEmpty) {
        CompletionStage<Long> removed =
                ifEmpty ? broker.deleteQueue(name, false, true) : temporaryNodes.deleteQueue(name);
        flushSoon.run();
        return removed;
    }

    /** Somebody's temporary node of that name or key, to which a link leads; null if it is none. */
    @Nullable
    DynamicNode find(String address) {
        return nodes.find(address);
    }
}
