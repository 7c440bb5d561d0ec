package io.mainstem.jms.amqp;

import io.mainstem.jms.link.Subscription;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The names of a container's links; no two are equal. Thread: the event loop. */
final class LinkNames {
    private final Map<Subscription, Integer> shared = new HashMap<>();
    private long numbers;

    String next(String role) {
        return "mainstem-jms:" + role + ':' + ++numbers;
    }

    /**
     * The name of a receiver; the part before the bar names its subscription (mapping 4.5).
     *
     * @param subscription null: one that ends with its link
     */
    String receiver(@Nullable Subscription subscription) {
        if (subscription == null) {
            return next("receiver");
        }
        if (!subscription.shared()) {
            return subscription.name();
        }
        int number = shared.merge(subscription, 1, Integer::sum);
        String kind = subscription.durable() ? "" : subscription.global() ? "-volatile" : "volatile";
        return subscription.name() + '|' + (subscription.global() ? "global" : "") + kind + number;
    }
}
