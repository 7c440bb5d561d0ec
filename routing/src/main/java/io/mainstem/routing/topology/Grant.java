package io.mainstem.routing.topology;

import io.mainstem.routing.BindingSpec;
import java.util.List;

/**
 * What the matched MQTT subscriptions of one queue grant together [S-7], as far as it decides where a message is kept.
 * The options stand in the arguments of the bindings; only those that routing reads are named here.
 *
 * @param qosMax the highest QoS granted
 */
public record Grant(int qosMax) {
    /** Boolean: the binding is an MQTT subscription. */
    public static final String MQTT = "mqtt";

    /** Long, 0 to 2: the QoS that was granted. */
    public static final String QOS = "qos";

    /** Other bindings take everything as it comes. */
    public static final Grant ALL = new Grant(2);

    /** True if the binding carries the options of an MQTT subscription, which may be replaced. */
    static boolean isSubscription(BindingSpec binding) {
        return Boolean.TRUE.equals(binding.arguments().get(MQTT));
    }

    /** @param subscriptions matched bindings of MQTT; empty = the queue is bound otherwise */
    static Grant of(List<BindingSpec> subscriptions) {
        if (subscriptions.isEmpty()) {
            return ALL;
        }
        int qos = 0;
        for (BindingSpec subscription : subscriptions) {
            qos = Math.max(qos, subscription.arguments().get(QOS) instanceof Long granted ? granted.intValue() : 2);
        }
        return new Grant(qos);
    }
}
