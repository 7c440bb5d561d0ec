package io.mainstem.routing.topology;

import io.mainstem.routing.BindingSpec;
import java.util.List;

/**
 * Where a publish goes: every queue once. Immutable.
 *
 * @param targets distinct by queue; empty = unroutable
 */
public record RouteResult(List<Target> targets) {
    /** Nowhere. */
    public static final RouteResult UNROUTABLE = new RouteResult(List.of());

    public RouteResult {
        targets = List.copyOf(targets);
    }

    /** True if no queue gets the message. */
    public boolean unroutable() {
        return targets.isEmpty();
    }

    /**
     * One queue.
     *
     * @param subscriptions the matched bindings that carry subscription options ({@code mqtt}=true) [S-7]; of a way
     *     through several exchanges, the last one
     * @param grant what they let through
     */
    public record Target(QueueTarget queue, List<BindingSpec> subscriptions, Grant grant) {
        public Target {
            subscriptions = List.copyOf(subscriptions);
        }

        /** With what the subscriptions grant. */
        Target(QueueTarget queue, List<BindingSpec> subscriptions) {
            this(queue, subscriptions, Grant.of(subscriptions));
        }
    }
}
