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
    private UserRules rules = UserRules.OPEN;

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

    /** To read what is published with that exchange and keys like that, into a queue of the user's own. */
    public void requireRead(String exchange, String key) {
        requireRead(exchange, key, true);
    }

    /** @param filtered into a queue for which each message is looked at: parts that are closed do not count */
    private void requireRead(String exchange, String key, boolean filtered) {
        if (!exchange.equals(TOPIC_EXCHANGE) || !filtered) {
            requireOnExchange(Action.READ, exchange, key);
        } else if (!mayDoEverything() && !TemporaryNames.isTopic(key)) {
            AccessRule.Applied deciding = rules.deciding(Action.READ, ObjectKind.TOPIC, key, true);
            if (!UserRules.allows(deciding)) {
                throw refused(new Question(Action.READ, ObjectKind.TOPIC, key), deciding);
            }
        }
    }

    private boolean isOwn(QueueSpec spec) {
        return spec.system() && user.equals(spec.owner());
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
        requireRead(binding.source(), binding.key(), binding.toQueue() && destination != null && isOwn(destination));
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
            requireReadOfAll(spec, bindings);
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
            requireReadOfAll(spec, bindings);
        }
    }

    private void requireReadOfAll(QueueSpec spec, List<BindingSpec> bindings) {
        for (BindingSpec binding : bindings) {
            requireRead(binding.source(), binding.key(), isOwn(spec));
        }
    }

    private boolean isOthers(QueueSpec spec) {
        return spec.owner() != null && !spec.owner().equals(user);
    }

    /** By a rule that is about such queues. */
    private void requireNamed(Action action, QueueSpec spec) {
        AccessRule.Applied deciding = rules.deciding(action, ObjectKind.QUEUE, spec.name());
        if (!UserRules.allows(deciding)) {
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
        return mayDoEverything() || rules.allows(Action.CONFIGURE, ObjectKind.BROKER, what);
    }

    /** True if the session may do anything at all with the queue; then it may also see how much is in it. */
    public boolean maySee(String queue, @Nullable QueueSpec spec, List<BindingSpec> bindings) {
        if (mayAdminister("see queues")) {
            return true;
        }
        for (Action action : Action.values()) {
            if (rules.allows(action, ObjectKind.QUEUE, queue)) {
                return true;
            }
        }
        return spec != null
                && spec.system()
                && !isOthers(spec)
                && (spec.owner() != null || !bindings.isEmpty())
                && bindings.stream().allMatch(binding -> mayRead(binding, isOwn(spec)));
    }

    private boolean mayRead(BindingSpec binding, boolean filtered) {
        if (!binding.source().equals(TOPIC_EXCHANGE)) {
            return rules.allows(Action.READ, ObjectKind.EXCHANGE, binding.source());
        }
        return TemporaryNames.isTopic(binding.key())
                || UserRules.allows(rules.deciding(Action.READ, ObjectKind.TOPIC, binding.key(), filtered));
    }

    /** Whom the session acts for; {@link AccessPolicy#ANONYMOUS} if nobody. */
    public String user() {
        return user;
    }

    /** Whose the queues are that are made for the session: null where nobody has to say who he is. */
    public @Nullable String owner() {
        return client.user() == null && source.get().isOpen() ? null : user;
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
        AccessRule.Applied deciding = rules.deciding(action, kind, object);
        if (!UserRules.allows(deciding)) {
            throw refused(question, deciding);
        }
        decisions.allow(question);
    }

    /** True if nothing has to be asked; takes a changed policy over. */
    private boolean mayDoEverything() {
        AccessPolicy now = source.get();
        if (now != policy) {
            policy = now;
            decisions.clear();
            rules = UserRules.of(now, client.virtualHost(), user, client.clientId());
        }
        return rules.everything();
    }

    private BrokerException refused(Question question, AccessRule.@Nullable Applied rule) {
        if (rule != null && rule.closesAPart(question.object())) {
            return refused(
                    question,
                    "rule '" + rule.rule().text() + "' decides: it closes a part of it.",
                    "leave that part out; only a subscription of one's own, not shared and to no other queue, may span it,"
                            + " and does not get what is closed.");
        }
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
