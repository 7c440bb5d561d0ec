package io.mainstem.mqtt;

import io.mainstem.mqtt.wire.Packet;
import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.selector.BindingFilter;
import io.mainstem.routing.topology.Grant;
import io.mainstem.routing.topology.TopicNames;
import java.util.HashMap;
import java.util.Map;

/**
 * One filter of a session with its options; lies in the log as the arguments of its binding [S-9].
 *
 * @param filter as the client wrote it
 * @param subscriptionId 1 to 268435455, or 0 = none
 */
record Subscription(String filter, int qos, boolean noLocal, boolean retainAsPublished, int subscriptionId) {
    private static final String RETAIN_AS_PUBLISHED = "retain-as-published";
    private static final String SUBSCRIPTION_ID = "subscription-id";

    static Subscription of(Packet.Filter filter, int subscriptionId) {
        return new Subscription(
                filter.text(), filter.qos(), filter.noLocal(), filter.retainAsPublished(), subscriptionId);
    }

    /** The binding's key, the filter with separators and wildcards of AMQP. */
    String key() {
        return TopicNames.swap(filter);
    }

    BindingSpec binding(String queue, String clientId) {
        Map<String, Object> arguments = new HashMap<>();
        arguments.put(Grant.MQTT, true);
        arguments.put(Grant.QOS, (long) qos);
        if (noLocal) {
            arguments.put(BindingFilter.NOT_FROM, clientId);
        }
        if (retainAsPublished) {
            arguments.put(RETAIN_AS_PUBLISHED, true);
        }
        if (subscriptionId > 0) {
            arguments.put(SUBSCRIPTION_ID, (long) subscriptionId);
        }
        return new BindingSpec(Topics.EXCHANGE, queue, true, key(), arguments);
    }

    static Subscription of(BindingSpec binding) {
        Map<String, Object> arguments = binding.arguments();
        return new Subscription(
                TopicNames.swap(binding.key()),
                arguments.get(Grant.QOS) instanceof Long qos ? qos.intValue() : 2,
                arguments.containsKey(BindingFilter.NOT_FROM),
                Boolean.TRUE.equals(arguments.get(RETAIN_AS_PUBLISHED)),
                arguments.get(SUBSCRIPTION_ID) instanceof Long id ? id.intValue() : 0);
    }

    static boolean isOne(BindingSpec binding) {
        return Boolean.TRUE.equals(binding.arguments().get(Grant.MQTT))
                && binding.source().equals(Topics.EXCHANGE);
    }
}
