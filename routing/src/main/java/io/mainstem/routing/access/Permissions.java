package io.mainstem.routing.access;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ClientInfo;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.ExchangeSpec;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.TemporaryNames;
import io.mainstem.routing.access.Decisions.Question;
import io.mainstem.routing.message.Envelope;
import io.mainstem.routing.topology.TopicNames;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one session may do. Every {@code require} method returns, or throws {@link BrokerException} with ACCESS_REFUSED and
 * the rule that decided. Decisions are remembered until the policy changes: publishing to the same address again costs a
 * comparison.
 *
 * <p>Some things need no permission of their own. A queue that a head makes for a subscription is accessible to its owner, or
 * if it is nobody's alone to everybody, who may read what it is bound to; to others by a rule that names such queues (ADR
 * 0028). Temporary nodes are their own connection's, which is looked at elsewhere; whoever knows
 * a name may reply (ADR 0072).
 *
 * <p>Thread: the session's event loop.
 */
public final class Permissions {
    private static final Logger LOG = LoggerFactory.getLogger(Permissions.class);
    private static final String TOPIC_EXCHANGE = "amq.topic";
    /** Only heads declare queues of such names. */
    private static final String SYSTEM_NAMES = "amq.";

    private final Supplier<AccessPolicy> source;
    private final ClientInfo client;
    private final String user;
    private final Decisions decisions = new Decisions();
    private AccessPolicy policy = AccessPolicy.OPEN;
    private List<AccessRule.Applied> rules = List.of();
    private boolean everything = true;

    /** @param source the policy at any moment; asked for every decision */
    public Permissions(Supplier<AccessPolicy> source, ClientInfo client) {
        this.source = source;
        this.client = client;
        this.user = client.user() == null ? AccessPolicy.ANONYMOUS : client.user();
    }

    // ---- publishing ------------------------------------------------------------------------------------------

    /** To publish a message with this envelope. */
    public void requirePublish(Envelope envelope) {
        String exchange = envelope.exchange();
        List<String> keys = envelope.keys();
        for (String key : keys) {
            requireNotBrokers(exchange, key);
        }
        if (mayDoEverything()) {
            return;
        }
        if (decisions.isLastPublish(exchange, keys)) {
            return;
        }
        for (String key : keys) {
            requirePublish(exchange, key);
        }
        decisions.lastPublish(exchange, keys);
    }

    /** To publish messages with that exchange and key. */
    public void requirePublish(String exchange, String key) {
        requireNotBrokers(exchange, key);
        if (exchange.isEmpty()) {
            if (!TemporaryNames.isQueue(key)) {
                require(Action.WRITE, ObjectKind.QUEUE, key);
            }
        } else {
            requireOnExchange(Action.WRITE, exchange, key);
        }
    }

    /** Here and not in the heads: only the key says what it is, however a client has spelled it. */
    private void requireNotBrokers(String exchange, String key) {
        if (TopicNames.isBrokers(key) && exchange.equals(TOPIC_EXCHANGE) && source.get() != AccessPolicy.BROKER) {
            throw new BrokerException(
                    ErrorKind.ACCESS_REFUSED,
                    "MS-0322",
                    "only the broker itself publishes to topic '" + spelled(key) + "'.",
                    "publish to a topic that does not begin with " + TopicNames.BROKER + ".");
        }
    }

    /** As the client writes it. */
    private String spelled(String key) {
        return client.protocol().startsWith("mqtt") ? TopicNames.swap(key) : key;
    }

    /** To read what is published with that exchange and keys like that. */
    public void requireRead(String exchange, String key) {
        requireOnExchange(Action.READ, exchange, key);
    }

    // ---- topology --------------------------------------------------------------------------------------------

    /** To declare the queue, and to send its dead letters where it says. */
    public void requireDeclare(QueueSpec spec) {
        if (mayDoEverything() || spec.system()) {
            return;
        }
        require(Action.CONFIGURE, ObjectKind.QUEUE, spec.name());
        if (spec.arguments().get("x-dead-letter-exchange") instanceof String exchange) {
            Object key = spec.arguments().get("x-dead-letter-routing-key");
            // Without a key of its own a dead letter goes by that of its message, which may name any queue.
            requirePublish(exchange, key instanceof String text ? text : "#");
        }
    }

    /** To declare the exchange, and to send on what it cannot route. */
    public void requireDeclare(ExchangeSpec spec) {
        if (mayDoEverything()) {
            return;
        }
        require(Action.CONFIGURE, ObjectKind.EXCHANGE, spec.name());
        if (spec.arguments().get("alternate-exchange") instanceof String alternate) {
            requirePublish(alternate, "#");
        }
    }

    /** To delete the exchange. */
    public void requireDeleteExchange(String name) {
        require(Action.CONFIGURE, ObjectKind.EXCHANGE, name);
    }

    /**
     * To bind or unbind.
     *
     * @param destination null if it is no queue, or none that exists
     */
    public void requireBind(BindingSpec binding, @Nullable QueueSpec destination) {
        if (mayDoEverything()) {
            return;
        }
        requireOnExchange(Action.READ, binding.source(), binding.key());
        if (!binding.toQueue()) {
            require(Action.WRITE, ObjectKind.EXCHANGE, binding.destination());
        } else if (destination == null ? !binding.destination().startsWith(SYSTEM_NAMES) : !destination.system()) {
            require(Action.WRITE, ObjectKind.QUEUE, binding.destination());
        } else if (destination != null && isOthers(destination)) {
            requireNamed(Action.WRITE, destination);
        }
    }

    // ---- queues that exist -----------------------------------------------------------------------------------

    /**
     * To use a queue that is there.
     *
     * @param spec null if there is none of that name
     * @param bindings those it is the destination of
     */
    public void requireOnQueue(Action action, String name, @Nullable QueueSpec spec, List<BindingSpec> bindings) {
        if (mayDoEverything() || (spec != null && spec.system() && spec.exclusive())) {
            return; // The shard knows the owner of an exclusive queue, and lets nobody else.
        }
        if (spec == null || !spec.system()) {
            require(action, ObjectKind.QUEUE, name);
        } else if (isOthers(spec)) {
            requireNamed(action, spec);
        } else if (bindings.isEmpty() && spec.owner() == null) {
            require(action, ObjectKind.QUEUE, name);
        } else {
            requireReadOfAll(bindings);
        }
    }

    /**
     * To make use of a subscription's queue under the name it has already: it is another user's if somebody else with
     * the same client id was first.
     *
     * @param spec of a system queue
     * @param bindings those it is the destination of
     */
    public void requireOwn(QueueSpec spec, List<BindingSpec> bindings) {
        if (mayDoEverything() || spec.exclusive()) {
            return;
        }
        if (isOthers(spec)) {
            requireNamed(Action.READ, spec);
        } else if (spec.owner() == null) {
            requireReadOfAll(bindings);
        }
    }

    private void requireReadOfAll(List<BindingSpec> bindings) {
        for (BindingSpec binding : bindings) {
            requireOnExchange(Action.READ, binding.source(), binding.key());
        }
    }

    private boolean isOthers(QueueSpec spec) {
        return spec.owner() != null && !spec.owner().equals(user);
    }

    /** By a rule that is about such queues. */
    private void requireNamed(Action action, QueueSpec spec) {
        AccessRule.Applied deciding = deciding(action, ObjectKind.QUEUE, spec.name());
        if (!allows(deciding)) {
            Question question = new Question(action, ObjectKind.QUEUE, spec.name());
            throw refused(
                    question,
                    "it belongs to user '" + spec.owner() + "', and "
                            + (deciding == null ? "no rule allows others its name." : decides(deciding)),
                    "use a client id or subscription name of your own, or let an administrator allow it by name, such as"
                            + " 'allow read queue " + spec.name() + "'.");
        }
    }

    /**
     * To do what only an administrator may.
     *
     * @param what such as {@code close connections}, for rules and texts
     */
    public void requireAdministration(String what) {
        require(Action.CONFIGURE, ObjectKind.BROKER, what);
    }

    /** As {@link #requireAdministration}, as a question. */
    public boolean mayAdminister(String what) {
        if (mayDoEverything()) {
            return true;
        }
        return allows(deciding(Action.CONFIGURE, ObjectKind.BROKER, what));
    }

    /** True if the session may do anything at all with the queue; then it may also see how much is in it. */
    public boolean maySee(String queue, @Nullable QueueSpec spec, List<BindingSpec> bindings) {
        if (mayAdminister("see queues")) {
            return true;
        }
        for (Action action : Action.values()) {
            if (allows(deciding(action, ObjectKind.QUEUE, queue))) {
                return true;
            }
        }
        return spec != null
                && spec.system()
                && !isOthers(spec)
                && (spec.owner() != null || !bindings.isEmpty())
                && bindings.stream().allMatch(this::mayRead);
    }

    private boolean mayRead(BindingSpec binding) {
        if (!binding.source().equals(TOPIC_EXCHANGE)) {
            return allows(deciding(Action.READ, ObjectKind.EXCHANGE, binding.source()));
        }
        return TemporaryNames.isTopic(binding.key()) || allows(deciding(Action.READ, ObjectKind.TOPIC, binding.key()));
    }

    /** Whom the session acts for; {@link AccessPolicy#ANONYMOUS} if nobody. */
    public String user() {
        return user;
    }

    // ---- decisions -------------------------------------------------------------------------------------------

    private void requireOnExchange(Action action, String exchange, String key) {
        if (!exchange.equals(TOPIC_EXCHANGE)) {
            require(action, ObjectKind.EXCHANGE, exchange);
        } else if (!TemporaryNames.isTopic(key)) {
            require(action, ObjectKind.TOPIC, key);
        }
    }

    private void require(Action action, ObjectKind kind, String object) {
        if (mayDoEverything()) {
            return;
        }
        Question question = new Question(action, kind, object);
        if (decisions.isAllowed(question)) {
            return;
        }
        AccessRule.Applied deciding = deciding(action, kind, object);
        if (!allows(deciding)) {
            throw refused(question, deciding);
        }
        decisions.allow(question);
    }

    private static boolean allows(AccessRule.@Nullable Applied deciding) {
        return deciding != null && deciding.rule().allows();
    }

    private AccessRule.@Nullable Applied deciding(Action action, ObjectKind kind, String object) {
        for (AccessRule.Applied rule : rules) {
            if (rule.decides(action, kind, object)) {
                return rule;
            }
        }
        return null;
    }

    /** True if nothing has to be asked; takes a changed policy over. */
    private boolean mayDoEverything() {
        AccessPolicy now = source.get();
        if (now != policy) {
            policy = now;
            decisions.clear();
            rules = now.isOpen() ? List.of() : applied(now.rulesOf(user));
            everything =
                    now.isOpen() || (!rules.isEmpty() && isAllowAll(rules.get(0).rule()));
        }
        return everything;
    }

    private boolean isAllowAll(AccessRule rule) {
        return rule.allows() && rule.isAboutAll(client.virtualHost());
    }

    private List<AccessRule.Applied> applied(List<AccessRule> all) {
        List<AccessRule.Applied> applied = new ArrayList<>(all.size());
        for (AccessRule rule : all) {
            AccessRule.Applied mine =
                    Glob.matches(rule.virtualHost(), client.virtualHost()) ? rule.apply(user, client.clientId()) : null;
            if (mine != null) {
                applied.add(mine);
            }
        }
        return applied;
    }

    private BrokerException refused(Question question, AccessRule.@Nullable Applied rule) {
        return refused(
                question,
                rule == null ? "no rule allows it." : decides(rule),
                "let an administrator change the user's permissions: mainstem user permissions.");
    }

    private static String decides(AccessRule.Applied rule) {
        return "rule '" + rule.rule().text() + "' decides.";
    }

    private BrokerException refused(Question question, String why, String fix) {
        String object = question.kind() == ObjectKind.TOPIC ? spelled(question.object()) : question.object();
        String problem = "user '" + user + "' may not " + question.action().word() + " "
                + question.kind().word() + " '" + object + "' in virtual host '" + client.virtualHost() + "': " + why;
        if (decisions.isNews(question)) {
            LOG.warn(
                    "MS-0370 access refused peer={} client-id={} text=\"{}\"",
                    client.peer(),
                    client.clientId(),
                    problem);
        }
        return new BrokerException(ErrorKind.ACCESS_REFUSED, "MS-0370", problem, fix);
    }
}
