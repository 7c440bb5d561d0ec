package io.mainstem.routing.queue;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ExchangeSpec;
import io.mainstem.routing.ExchangeType;
import io.mainstem.routing.QueueSpec;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the simulated broker has in exchanges, queues and subscriptions, and where a message goes by plain rules. */
final class SimTopology {
    /** The one that comes and goes. */
    static final String EXTRA = "extra";

    static final String FAN = "fan";
    static final String TOPIC = "amq.topic";
    static final List<String> TOPICS = List.of("n.a", "n.b", "n.a.b", "other");

    static final List<String> QUEUES =
            List.of("a", "b", "limited", "dead-limited", "expiring", "dead-expiring", "one-level", "all-levels", EXTRA);

    private static final List<String> BEHIND_FAN = List.of("a", "expiring", EXTRA);
    private static final Map<String, String> DEAD = Map.of("limited", "dead-limited", "expiring", "dead-expiring");

    private SimTopology() {}

    /** The queues a message gets into if all of them are there. */
    static Set<String> targets(String exchange, String key) {
        return switch (exchange) {
            case "" -> Set.of(key);
            case FAN -> Set.copyOf(BEHIND_FAN);
            default -> topicTargets(key);
        };
    }

    private static Set<String> topicTargets(String key) {
        if (!key.startsWith("n.")) {
            return Set.of();
        }
        return key.indexOf('.', 2) < 0 ? Set.of("one-level", "all-levels") : Set.of("all-levels");
    }

    /** Where what is given up in this queue goes, or null. */
    static @Nullable String dead(String queue) {
        return DEAD.get(queue);
    }

    static boolean isDead(String queue) {
        return DEAD.containsValue(queue);
    }

    /** True if a message is given up after so many failures. */
    static boolean givesUp(String queue, int failed) {
        return queue.equals("limited") && failed > 1;
    }

    /** Declares all but the queue that comes and goes. */
    static void declare(SteppedBroker broker, BrokerSession session) {
        broker.ask(
                session,
                each -> each.declareExchange(new ExchangeSpec(FAN, ExchangeType.FANOUT, true, false, false, Map.of())));
        for (String queue : QUEUES) {
            if (!queue.equals(EXTRA)) {
                declare(broker, session, queue);
            }
        }
        subscribe(broker, session, "one-level", "n.*");
        subscribe(broker, session, "all-levels", "n.#");
    }

    static void declare(SteppedBroker broker, BrokerSession session, String queue) {
        broker.ask(session, each -> each.declareQueue(new QueueSpec(queue, true, false, false, false, options(queue))));
        if (BEHIND_FAN.contains(queue)) {
            broker.ask(session, each -> each.bind(new BindingSpec(FAN, queue, true, "", Map.of())));
        }
    }

    private static void subscribe(SteppedBroker broker, BrokerSession session, String queue, String filter) {
        broker.ask(session, each -> each.bind(new BindingSpec(TOPIC, queue, true, filter, Map.of())));
    }

    private static Map<String, Object> options(String queue) {
        String dead = dead(queue);
        Map<String, Object> options = new HashMap<>();
        if (dead != null) {
            options.put("x-dead-letter-exchange", "");
            options.put("x-dead-letter-routing-key", dead);
        }
        if (queue.equals("limited")) {
            options.put("x-delivery-limit", 1L);
        }
        return options;
    }
}
