package io.mainstem.routing.queue;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Policy;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.access.Glob;
import io.mainstem.routing.topology.PolicyCodec;
import io.mainstem.routing.topology.VirtualHosts;
import io.mainstem.store.MetaChange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * The policies of one virtual host, and what they mean for a queue (ADR 0038). Thread: any for reading; the shard changes
 * them when a change is on disk.
 */
final class Policies {
    static final int POLICIES_MAX = 1000;
    private static final int NAME_CHARS_MAX = 255;

    /** Of these the lesser of queue and policy holds. */
    private static final Set<String> STRICTER =
            Set.of("x-message-ttl", "x-expires", "x-delivery-limit", "x-max-length", "x-max-length-bytes");

    private static final Comparator<Policy> GOVERNING_FIRST =
            Comparator.comparingInt(Policy::priority).reversed().thenComparing(Policy::name);

    private final String virtualHost;
    private volatile List<Policy> all;

    private Policies(String virtualHost, List<Policy> all) {
        this.virtualHost = virtualHost;
        this.all = all;
    }

    /** What the log knows. */
    static Policies restore(String virtualHost, SortedMap<String, byte[]> meta) {
        String prefix = VirtualHosts.policies(virtualHost);
        List<Policy> found = new ArrayList<>();
        for (byte[] value : meta.subMap(prefix, prefix + Character.MAX_VALUE).values()) {
            found.add(PolicyCodec.decode(value));
        }
        found.sort(GOVERNING_FIRST);
        return new Policies(virtualHost, List.copyOf(found));
    }

    /** The governing ones first. */
    List<Policy> all() {
        return all;
    }

    /** The one that governs queues of that name, or null. */
    @Nullable
    Policy governing(String queue) {
        for (Policy policy : all) {
            if (Glob.matches(policy.pattern(), queue)) {
                return policy;
            }
        }
        return null;
    }

    /**
     * The policy with the names of arguments as they are kept, if a queue could be declared with them.
     *
     * @param wanted names may lack their {@code x-}, as those of RabbitMQ's policies do
     * @throws BrokerException INVALID_ARGUMENT, RESOURCE_LIMIT
     */
    Policy checked(Policy wanted) {
        if (wanted.name().isEmpty()
                || wanted.name().length() > NAME_CHARS_MAX
                || wanted.pattern().isEmpty()) {
            throw invalid(wanted, "name of 1 to " + NAME_CHARS_MAX + " characters, and a pattern", "both");
        }
        Map<String, Object> definition = new HashMap<>();
        wanted.definition().forEach((name, value) -> {
            String argument = name.startsWith("x-") ? name : "x-" + name;
            if (ArgumentNames.DECLARED.contains(argument)) {
                throw declaredOnly(wanted, name);
            }
            if (!ArgumentNames.SETTABLE.contains(argument)) {
                throw invalid(wanted, "'" + name + "'", ArgumentNames.expected(argument, ArgumentNames.SETTABLE));
            }
            definition.put(argument, value);
        });
        if (definition.isEmpty()) {
            throw invalid(wanted, "no argument", "one at least");
        }
        checkValues(wanted, definition);
        if (all.size() >= POLICIES_MAX
                && all.stream().noneMatch(each -> each.name().equals(wanted.name()))) {
            throw new BrokerException(
                    ErrorKind.RESOURCE_LIMIT,
                    "MS-0387",
                    "there are " + all.size() + " policies (limit: " + POLICIES_MAX + ").",
                    "delete those nobody needs, or use wider patterns.");
        }
        return new Policy(wanted.name(), wanted.pattern(), wanted.priority(), definition);
    }

    /** As those of a queue, but it is the policy that is wrong. */
    private static void checkValues(Policy policy, Map<String, Object> definition) {
        try {
            QueueOptions.of(new QueueSpec(policy.name(), true, false, false, false, definition));
        } catch (BrokerException wrong) {
            String text = wrong.problem().replaceFirst("^queue '", "policy '");
            throw new BrokerException(wrong.kind(), "MS-0385", text, "correct the policy.");
        }
    }

    private static BrokerException invalid(Policy policy, String found, Object expected) {
        return new BrokerException(
                ErrorKind.INVALID_ARGUMENT,
                "MS-0385",
                "policy '" + policy.name() + "': " + found + " (expected: " + expected + ").",
                "correct the policy.");
    }

    private static BrokerException declaredOnly(Policy policy, String name) {
        return new BrokerException(
                ErrorKind.INVALID_ARGUMENT,
                "MS-0397",
                "policy '" + policy.name() + "' sets '" + name
                        + "', which would have to hold for messages and consumers"
                        + " that are in its queues already (expected: what may change while a queue is in use).",
                "declare the queue with it; one that is there has to be deleted first.");
    }

    /** The record of a policy that is set. */
    MetaChange set(Policy policy) {
        return new MetaChange(VirtualHosts.policy(virtualHost, policy.name()), PolicyCodec.encode(policy));
    }

    /** The record of its end. */
    MetaChange delete(String name) {
        return new MetaChange(VirtualHosts.policy(virtualHost, name), null);
    }

    /**
     * The change is on disk. Thread: shard.
     *
     * @param policy null = it is gone
     */
    void applied(String name, @Nullable Policy policy) {
        List<Policy> next = new ArrayList<>(all);
        next.removeIf(each -> each.name().equals(name));
        if (policy != null) {
            next.add(policy);
        }
        next.sort(GOVERNING_FIRST);
        all = List.copyOf(next);
    }

    /** What a queue was declared with, and what its policy adds to it. */
    static QueueSpec effective(QueueSpec declared, @Nullable Policy policy) {
        if (policy == null) {
            return declared;
        }
        Map<String, Object> arguments = new HashMap<>(declared.arguments());
        policy.definition()
                .forEach((name, value) -> arguments.merge(name, value, (own, its) -> stricter(name, own, its)));
        if (declared.system()) {
            // It belongs to a subscription or session, which would miss it.
            arguments.remove("x-expires");
            Object own = declared.arguments().get("x-expires");
            if (own != null) {
                arguments.put("x-expires", own);
            }
        }
        return new QueueSpec(
                declared.name(),
                declared.durable(),
                declared.autoDelete(),
                declared.exclusive(),
                declared.system(),
                arguments);
    }

    private static Object stricter(String name, Object own, Object policys) {
        if (STRICTER.contains(name) && own instanceof Number mine && policys instanceof Number its) {
            return mine.longValue() <= its.longValue() ? own : policys;
        }
        return own;
    }
}
