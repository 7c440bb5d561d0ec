package io.mainstem.routing.queue;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.Spelling;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The names of arguments that queues can be declared with. A name that nobody knows is refused: with one letter wrong a queue
 * would have no limit, and nobody would notice. Thread: any.
 */
final class ArgumentNames {
    private static final Logger LOG = LoggerFactory.getLogger(ArgumentNames.class);

    /** What a policy may set, too. The rest is what a queue is, not how it is run. */
    static final Set<String> SETTABLE = Set.of(
            "x-message-ttl",
            "x-expires",
            "x-dead-letter-exchange",
            "x-dead-letter-routing-key",
            "x-delivery-limit",
            "x-redelivery-delay",
            "x-redelivery-backoff",
            "x-redelivery-delay-max",
            "x-delivery-limit-counts",
            "x-exclusion-timeout",
            "x-max-length",
            "x-max-length-bytes",
            "x-overflow",
            "x-max-priority");

    /** What only a declaration may set: it holds for every message from the first one on. */
    static final Set<String> DECLARED = Set.of("x-last-value-key", "x-single-active-consumer");

    /** What acts here. */
    private static final Set<String> KNOWN = Stream.of(SETTABLE, DECLARED, Set.of("x-queue-type", "x-best-effort"))
            .flatMap(Set::stream)
            .collect(Collectors.toUnmodifiableSet());

    /** What RabbitMQ's clients declare, and what is kept and shown, but asks for nothing that is not so here anyway. */
    private static final Set<String> WITHOUT_EFFECT = Set.of(
            "x-queue-mode",
            "x-queue-version",
            "x-queue-master-locator",
            "x-queue-leader-locator",
            "x-quorum-initial-group-size",
            "x-quorum-target-group-size",
            "x-dead-letter-strategy",
            "x-max-in-memory-length",
            "x-max-in-memory-bytes",
            "x-consumer-timeout");

    /** Of RabbitMQ's streams. */
    private static final Set<String> OF_STREAMS = Set.of(
            "x-max-age", "x-stream-max-segment-size-bytes", "x-stream-filter-size-bytes", "x-initial-cluster-size");

    /** Names that the log has told about: a line each, not one for each queue. */
    private static final Set<String> TOLD = ConcurrentHashMap.newKeySet();

    private ArgumentNames() {}

    /**
     * Of a queue that a client declares; the broker's own queues carry what they like.
     *
     * @throws BrokerException INVALID_ARGUMENT MS-0331 naming the argument and the nearest one that there is
     */
    static void check(QueueSpec spec) {
        if (spec.system()) {
            return;
        }
        for (Map.Entry<String, Object> argument : spec.arguments().entrySet()) {
            String name = argument.getKey();
            if (OF_STREAMS.contains(name)) {
                throw QueueOptions.invalid(spec, name, argument.getValue(), "no argument of streams: there are none");
            }
            if (WITHOUT_EFFECT.contains(name)) {
                tell(spec, name);
            } else if (!KNOWN.contains(name)) {
                throw new BrokerException(
                        ErrorKind.INVALID_ARGUMENT,
                        "MS-0331",
                        "queue '" + spec.name() + "': no argument is called '" + name + "' (expected: "
                                + expected(name, KNOWN) + ").",
                        "correct the name or leave it out.");
            }
        }
    }

    /** The nearest of the names, or all. */
    static String expected(String wrong, Collection<String> names) {
        return Spelling.nearest(wrong, names).orElseGet(() -> "one of " + new TreeSet<>(names));
    }

    private static void tell(QueueSpec spec, String name) {
        if (TOLD.add(name)) {
            LOG.warn(
                    "MS-0328 an argument has no effect here and is only kept argument={} queue=\"{}\" fix: leave it out; later"
                            + " queues with it are not told about",
                    name,
                    spec.name());
        }
    }
}
