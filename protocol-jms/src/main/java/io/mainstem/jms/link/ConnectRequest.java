package io.mainstem.jms.link;

import io.mainstem.jms.metrics.ClientCounters;
import io.mainstem.jms.options.Endpoint;
import io.mainstem.jms.options.Options;

/**
 * A connection to be opened.
 *
 * @param endpoint where
 * @param options user, TLS, limits, times
 * @param containerId the client identifier, or a name made up for this connection
 * @param counters of the factory
 */
public record ConnectRequest(Endpoint endpoint, Options options, String containerId, ClientCounters counters) {}
