package io.mainstem.routing;

import org.jspecify.annotations.Nullable;

/**
 * Who is on the other side of a connection.
 *
 * @param virtualHost "/" is the default one; heads map unknown host names to it where their protocol says so
 * @param clientId container-id, client id or "" if none
 * @param user authenticated user, or null for anonymous
 * @param peer address and port, for logs
 * @param protocol such as {@code amqp-1.0}
 */
public record ClientInfo(
        String virtualHost, String clientId, @Nullable String user, String peer, String protocol) {}
