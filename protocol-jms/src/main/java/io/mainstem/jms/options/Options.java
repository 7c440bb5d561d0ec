package io.mainstem.jms.options;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that a connection is opened with. Built by the factory from its URI and bean properties; {@link #toString} shows no
 * secret.
 *
 * @param endpoints where to connect, tried in this order; at least one
 * @param username null: no user (SASL ANONYMOUS, or EXTERNAL with a client certificate)
 * @param password null: none
 * @param clientId set by the administrator, or null
 * @param timeouts how long calls wait
 * @param delivery how messages flow
 * @param wire AMQP and sockets
 * @param tls used by the {@code amqps} and {@code amqpwss} schemes
 * @param failover null unless the URI is {@code failover:(...)}
 */
public record Options(
        List<Endpoint> endpoints,
        @Nullable String username,
        @Nullable String password,
        @Nullable String clientId,
        Timeouts timeouts,
        DeliveryOptions delivery,
        WireOptions wire,
        TlsOptions tls,
        @Nullable FailoverOptions failover) {
    public Options {
        endpoints = List.copyOf(endpoints);
        if (endpoints.isEmpty()) {
            throw new IllegalArgumentException("endpoints: none (expected: at least one)");
        }
    }

    /** Everything else at its default. */
    public static Options of(Endpoint endpoint) {
        return new Options(
                List.of(endpoint),
                null,
                null,
                null,
                Timeouts.DEFAULT,
                DeliveryOptions.DEFAULT,
                WireOptions.DEFAULT,
                TlsOptions.DEFAULT,
                null);
    }

    /** The same for another user. */
    public Options withCredentials(@Nullable String username, @Nullable String password) {
        return new Options(endpoints, username, password, clientId, timeouts, delivery, wire, tls, failover);
    }

    @Override
    public String toString() {
        return "Options[endpoints=" + endpoints + ", username=" + username + ", clientId=" + clientId + ", " + timeouts
                + ", " + delivery + ", " + wire + ", " + tls + ", " + failover + "]";
    }
}
