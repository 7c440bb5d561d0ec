package io.mainstem.amqp.v1;

import org.jspecify.annotations.Nullable;

/**
 * What tells a link from all others (AMQP 1.0 part 2, 2.6.1).
 *
 * @param user whose link it is: container-ids are not secret, and what is kept of a link has its user's permissions;
 *     null = anonymous
 * @param container the peer's container-id
 * @param inbound the peer sends
 */
record LinkKey(String virtualHost, @Nullable String user, String container, String name, boolean inbound) {}
