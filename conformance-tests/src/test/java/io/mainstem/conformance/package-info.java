/**
 * Black box: clients that others wrote, and peers that misbehave, against a broker that runs as a process of its own.
 *
 * <p>Where to begin: {@link io.mainstem.conformance.BrokerProcess} starts our broker,
 * {@link io.mainstem.conformance.SharedBroker} shares one or takes any other by
 * {@code -Dmainstem.conformance.host=H -Dmainstem.conformance.port=P}. The clients are Qpid JMS ({@code Jms…Test}), rhea
 * ({@code src/test/js}: {@code node run.js HOST PORT [FILTER]} runs cases by hand) and python3-qpid-proton
 * ({@code src/test/python}, likewise). {@link io.mainstem.conformance.RawPeer} writes bytes,
 * {@link io.mainstem.conformance.AmqpPeer} leaves every step to its test.
 *
 * <p>Nothing here may know the broker's classes. A rule of the specification or of the design that a test holds the
 * broker to stands in its display name: {@code } and the like are rules of mapping, {@code [wire b6]} an entry of
 * the wire checklist.
 */
package io.mainstem.conformance;
