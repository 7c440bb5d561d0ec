package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.UnsignedShort;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.Open;
import org.jspecify.annotations.Nullable;

/** What open says, in both directions (AMQP 1.0 part 2, 2.7.1). Immutable; thread: any. */
final class OpenNegotiation {
    static final String DEFAULT_VIRTUAL_HOST = "/";

    private static final String VIRTUAL_HOST_PREFIX = "vhost:";
    private static final int FRAME_BYTES_MIN = 512;
    private static final int FRAME_BYTES_USEFUL_MAX = 1 << 20;
    private static final int CONTAINER_ID_BYTES_MAX = 1024;
    /** By which RabbitMQ's clients name a connection for operators. */
    private static final Symbol CONNECTION_NAME = Symbol.valueOf("connection_name");

    private static final int CONNECTION_NAME_CHARS_MAX = 256;
    private static final Symbol CONTAINER_ID = Symbol.valueOf("container-id");
    private static final Symbol INVALID_FIELD = Symbol.valueOf("invalid-field");
    private static final Symbol ESTABLISHMENT_FAILED = Symbol.valueOf("amqp:connection-establishment-failed");

    /** The version of RabbitMQ whose AMQP 1.0 addresses and management these are. */
    private static final String RABBITMQ_VERSION = "4.2.0";

    private final AmqpLimits limits;
    private final AmqpOptions options;
    private final String version;

    /** @param version of the product */
    OpenNegotiation(AmqpLimits limits, AmqpOptions options, String version) {
        this.limits = limits;
        this.options = options;
        this.version = version;
    }

    /** The peer's open, checked. */
    static void check(Open open) {
        if (open.getContainerId().length() > CONTAINER_ID_BYTES_MAX) {
            throw AmqpException.connection(
                    AmqpError.INVALID_FIELD,
                    "MS-0501 container-id of " + open.getContainerId().length() + " characters (expected: at most "
                            + CONTAINER_ID_BYTES_MAX + ")");
        }
        UnsignedInteger frameBytes = open.getMaxFrameSize();
        if (frameBytes != null && frameBytes.longValue() < FRAME_BYTES_MIN) {
            throw AmqpException.connection(
                    AmqpError.INVALID_FIELD,
                    "MS-0501 max-frame-size " + frameBytes + " (expected: at least " + FRAME_BYTES_MIN + ")");
        }
    }

    /** What the client calls the connection, for operators; null if it does not say. */
    static @Nullable String connectionName(Open open) {
        Map<?, ?> properties = open.getProperties();
        if (properties == null || !(properties.get(CONNECTION_NAME) instanceof String name)) {
            return null;
        }
        return name.length() <= CONNECTION_NAME_CHARS_MAX ? name : name.substring(0, CONNECTION_NAME_CHARS_MAX);
    }

    /** Largest frame to send; above some size larger ones gain nothing. */
    static int frameBytesMax(Open open) {
        long asked = open.getMaxFrameSize() == null
                ? Integer.MAX_VALUE
                : open.getMaxFrameSize().longValue();
        return (int) Math.min(asked, FRAME_BYTES_USEFUL_MAX);
    }

    /** The virtual host that must exist, or null if an unknown host name means the default one. */
    static @Nullable String demandedVirtualHost(Open open) {
        String host = open.getHostname();
        return host != null && host.startsWith(VIRTUAL_HOST_PREFIX)
                ? host.substring(VIRTUAL_HOST_PREFIX.length())
                : null;
    }

    /** The broker's open. */
    Open answer() {
        Open open = new Open();
        open.setContainerId("mainstem");
        open.setMaxFrameSize(UnsignedInteger.valueOf(limits.frameBytesMax()));
        open.setChannelMax(UnsignedShort.valueOf((short) (limits.sessionsMax() - 1)));
        // Half, so that a peer that is late by its own reckoning is not yet late by ours (2.4.5).
        open.setIdleTimeOut(UnsignedInteger.valueOf(limits.idleTimeoutMs() / 2));
        open.setOfferedCapabilities(
                Capabilities.ANONYMOUS_RELAY,
                Capabilities.SOLE_CONNECTION,
                Capabilities.SHARED_SUBSCRIPTIONS,
                Capabilities.LINK_PAIR,
                Capabilities.DELAYED_DELIVERY,
                Capabilities.REFUSED_ROLLS_BACK);
        open.setProperties(properties());
        return open;
    }

    /** The open that goes before a close that says why there will be no connection. */
    Open refusal() {
        Open open = answer();
        Map<Symbol, Object> properties = properties();
        properties.put(ESTABLISHMENT_FAILED, true);
        open.setProperties(properties);
        return open;
    }

    /** Refuses a container-id that another connection holds; Qpid JMS makes InvalidClientIDException of it. */
    static AmqpException containerInUse(String containerId) {
        return AmqpException.connection(
                AmqpError.INVALID_FIELD,
                "MS-0509 container-id '" + containerId
                        + "' is in use by another connection fix: close it, or use another",
                Map.of(INVALID_FIELD, CONTAINER_ID));
    }

    private Map<Symbol, Object> properties() {
        Map<Symbol, Object> properties = new HashMap<>();
        properties.put(Symbol.valueOf("product"), "Mainstem");
        properties.put(Symbol.valueOf("version"), options.rabbitmq() ? RABBITMQ_VERSION : version);
        properties.put(Symbol.valueOf("mainstem-version"), version);
        properties.put(Symbol.valueOf("node"), options.node());
        if (!options.failoverServers().isEmpty()) {
            properties.put(Symbol.valueOf("failover-server-list"), failoverServers());
        }
        properties.put(Symbol.valueOf("platform"), "Java " + Runtime.version().feature());
        return properties;
    }

    /** [mapping 4.2]. */
    private List<Map<Symbol, Object>> failoverServers() {
        List<Map<Symbol, Object>> servers = new ArrayList<>();
        for (AmqpOptions.FailoverServer server : options.failoverServers()) {
            servers.add(Map.of(
                    Symbol.valueOf("network-host"), server.host(),
                    Symbol.valueOf("hostname"), server.host(),
                    Symbol.valueOf("port"), server.port()));
        }
        return servers;
    }
}
