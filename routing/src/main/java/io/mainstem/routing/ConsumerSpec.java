package io.mainstem.routing;

/**
 * How a consumer attaches.
 *
 * @param tag for people and logs; link name or consumer tag
 * @param exclusive no other consumer may be attached
 * @param browse sees ready messages from the oldest on without taking them; deliveries need no settlement
 * @param settled deliveries count as accepted when handed to the event loop (presettled)
 * @param priority higher first; equal ones take turns
 * @param onLoss applied to unsettled deliveries when the consumer closes or its connection is lost [J-3]
 */
public record ConsumerSpec(
        String tag, boolean exclusive, boolean browse, boolean settled, int priority, Outcome onLoss) {}
