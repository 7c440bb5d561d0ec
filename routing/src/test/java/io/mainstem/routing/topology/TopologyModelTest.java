package io.mainstem.routing.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.ExchangeSpec;
import io.mainstem.routing.ExchangeType;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.message.Messages;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Random declarations: routes equal a naive walk, and what the log holds equals what lives")
final class TopologyModelTest {
    private static final String[] KEYS = {"a", "a.b", "b", "", "c.a.b"};
    private static final String[] PATTERNS = {"a", "a.*", "#", "#.b", "*", "b", ""};

    private final Declared broker = new Declared();
    private final Set<BindingSpec> bindings = new LinkedHashSet<>();

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void agreesWithAModel(long seed) {
        Random random = new Random(seed);
        for (int step = 0; step < 400; step++) {
            change(random);
            if (step % 10 == 0) {
                assertRoutes(random);
            }
            if (step % 100 == 99) {
                broker.restart();
                bindings.removeIf(each -> !survives(each));
                assertRoutes(random);
            }
        }
    }

    private void change(Random random) {
        Topology topology = broker.topology();
        String queue = "q" + random.nextInt(6);
        String exchange = "x" + random.nextInt(5);
        try {
            switch (random.nextInt(8)) {
                case 0, 1 -> broker.apply(topology.declareQueue(queue(queue)).plan());
                case 2 -> broker.apply(topology.declareExchange(exchange(exchange)));
                case 3 -> {
                    broker.apply(topology.deleteQueue(queue));
                    bindings.removeIf(
                            each -> each.toQueue() && each.destination().equals(queue));
                }
                case 4 -> {
                    if (random.nextInt(4) == 0) {
                        broker.apply(topology.deleteExchange(exchange, false));
                        bindings.removeIf(each -> each.source().equals(exchange)
                                || (!each.toQueue() && each.destination().equals(exchange)));
                    }
                }
                case 5 -> {
                    BindingSpec binding = binding(random, queue, exchange);
                    broker.apply(topology.unbind(binding));
                    bindings.remove(binding);
                }
                default -> {
                    BindingSpec binding = binding(random, queue, exchange);
                    broker.apply(topology.bind(binding));
                    bindings.add(binding);
                }
            }
        } catch (BrokerException refusal) {
            assertThat(refusal.kind()).isEqualTo(ErrorKind.NOT_FOUND);
        }
    }

    private BindingSpec binding(Random random, String queue, String exchange) {
        String pattern = PATTERNS[random.nextInt(PATTERNS.length)];
        String source = "x" + random.nextInt(5);
        return random.nextBoolean()
                ? new BindingSpec(source, queue, true, pattern, Map.of())
                : new BindingSpec(source, exchange, false, pattern, Map.of());
    }

    private void assertRoutes(Random random) {
        List<String> exchanges = new ArrayList<>();
        broker.snapshot().state().exchanges().forEach((name, exchange) -> exchanges.add(name));
        for (String exchange : exchanges) {
            String key = KEYS[random.nextInt(KEYS.length)];
            for (int repeated = 0; repeated < 2; repeated++) {
                assertThat(Declared.names(broker.snapshot().routeFromBroker(exchange, List.of(key), Messages.empty())))
                        .as("%s '%s' with %s", exchange, key, bindings)
                        .isEqualTo(walk(exchange, key));
            }
        }
    }

    /** Even queues and exchanges are durable; x0 is fanout, x1 direct, others are topics. */
    private static QueueSpec queue(String name) {
        return new QueueSpec(name, even(name), false, false, false, Map.of());
    }

    private static ExchangeSpec exchange(String name) {
        ExchangeType type = switch (name) {
            case "x0" -> ExchangeType.FANOUT;
            case "x1" -> ExchangeType.DIRECT;
            default -> ExchangeType.TOPIC;
        };
        return new ExchangeSpec(name, type, even(name), false, false, Map.of());
    }

    private static boolean even(String name) {
        return name.charAt(1) % 2 == 0;
    }

    private static boolean survives(BindingSpec binding) {
        return even(binding.source()) && even(binding.destination());
    }

    private Set<String> walk(String start, String key) {
        Set<String> queues = new TreeSet<>();
        Set<String> visited = new HashSet<>(Set.of(start));
        Deque<String> ahead = new ArrayDeque<>(visited);
        while (!ahead.isEmpty()) {
            String exchange = ahead.remove();
            for (BindingSpec each : bindings) {
                if (!each.source().equals(exchange) || !matches(exchange, each.key(), key)) {
                    continue;
                }
                if (each.toQueue()) {
                    queues.add(each.destination());
                } else if (visited.add(each.destination())) {
                    ahead.add(each.destination());
                }
            }
        }
        return queues;
    }

    private static boolean matches(String exchange, String pattern, String key) {
        return switch (exchange) {
            case "x0" -> true;
            case "x1" -> pattern.equals(key);
            default -> TopicTrieTest.naive(pattern, key);
        };
    }
}
