package io.mainstem.routing;

import io.mainstem.routing.selector.Selector;
import org.jspecify.annotations.Nullable;

/**
 * How a consumer attaches.
 *
 * @param tag for people and logs; link name or consumer tag
 * @param exclusive no other consumer may be attached
 * @param browse sees ready messages from the oldest on without taking them; deliveries need no settlement
 * @param settled deliveries count as accepted when handed to the event loop (presettled)
 * @param priority higher first; equal ones take turns
 * @param onLoss applied to unsettled deliveries when the consumer closes or its connection is lost [J-3]
 * @param selector only messages that match; the others stay for other consumers [S-11]; null = all
 */
public record ConsumerSpec(
        String tag,
        boolean exclusive,
        boolean browse,
        boolean settled,
        int priority,
        Outcome onLoss,
        @Nullable Selector selector) {
    /** Takes every message. */
    public ConsumerSpec(String tag, boolean exclusive, boolean browse, boolean settled, int priority, Outcome onLoss) {
        this(tag, exclusive, browse, settled, priority, onLoss, null);
    }
}
