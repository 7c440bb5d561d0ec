package io.mainstem.amqp.v1;

import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentMap;
import org.apache.qpid.proton.amqp.messaging.TerminusExpiryPolicy;
import org.jspecify.annotations.Nullable;

/**
 * The nodes that the links of one connection have made, and those of their links that are detached but not over
 * (AMQP 1.0 part 3, 3.5.4). A link that is attached again under its name to its node is the one that made it.
 *
 * <p>Thread: the connection's event loop.
 */
final class DynamicNodes {
    /** Nodes may outlive the links that count as links of the connection. */
    static final int NODES_MAX = 8192;

    /** Those of all connections, by virtual host and address. */
    private final ConcurrentMap<String, DynamicNode> all;

    private final String virtualHost;
    private final EventExecutor loop;
    private final Set<DynamicNode> own = new LinkedHashSet<>();
    private final Map<LinkKey, Detached> detached = new HashMap<>();

    /** @param session its end ends the link, or null */
    private record Detached(DynamicNode node, @Nullable AmqpSession session) {}

    /** @param all shared by all connections */
    DynamicNodes(ConcurrentMap<String, DynamicNode> all, String virtualHost, EventExecutor loop) {
        this.all = all;
        this.virtualHost = virtualHost;
        this.loop = loop;
    }

    /**
     * A node was made.
     *
     * @param expiry when a detached link of the peer's is over; what would outlive the connection ends with it
     */
    DynamicNode made(String address, NodeLife life, TerminusExpiryPolicy expiry, DynamicNode.Removal removal) {
        DynamicNode node = new DynamicNode(address, life, expiry, loop, removal, this::forget);
        own.add(node);
        all.put(key(address), node);
        return node;
    }

    /** True if the connection has as many as it may have. */
    boolean full() {
        return own.size() >= NODES_MAX;
    }

    private void forget(DynamicNode gone) {
        own.remove(gone);
        all.remove(key(gone.address()), gone);
    }

    /** The node that some connection's link has made under this address, or null. */
    @Nullable
    DynamicNode find(String address) {
        return all.get(key(address));
    }

    /** The link that made it is detached, and may come again. */
    void detached(LinkKey link, DynamicNode node, AmqpSession session) {
        boolean ofSession = node.expiry() == TerminusExpiryPolicy.SESSION_END;
        if (node.expiry() == TerminusExpiryPolicy.LINK_DETACH || (ofSession && !session.isOpen())) {
            var unused = node.ended();
            return;
        }
        Detached before = detached.put(link, new Detached(node, ofSession ? session : null));
        if (before != null) {
            var unused = before.node().ended();
        }
    }

    /**
     * A link is attached under that name.
     *
     * @param address what it wants now
     * @return the node that the link made which had the name, if that is what it wants; if not, that one is over
     */
    @Nullable
    DynamicNode resumed(LinkKey link, @Nullable String address) {
        Detached before = detached.remove(link);
        if (before == null) {
            return null;
        }
        if (before.node().address().equals(address)) {
            return before.node();
        }
        var unused = before.node().ended();
        return null;
    }

    void ended(AmqpSession session) {
        if (detached.isEmpty()) {
            return;
        }
        List<DynamicNode> over = new ArrayList<>();
        detached.values().removeIf(each -> {
            boolean its = each.session() == session;
            if (its) {
                over.add(each.node());
            }
            return its;
        });
        over.forEach(DynamicNode::ended);
    }

    /** The broker takes away what is left of the connection. */
    void close() {
        for (DynamicNode node : own) {
            node.close();
            all.remove(key(node.address()), node);
        }
        own.clear();
        detached.clear();
    }

    private String key(String address) {
        return virtualHost + '\0' + address;
    }
}
