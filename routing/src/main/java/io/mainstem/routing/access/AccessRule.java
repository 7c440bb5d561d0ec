package io.mainstem.routing.access;

import io.mainstem.routing.topology.TopicNames;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One line of a user's permissions, such as {@code allow write,read queue orders.*}:
 *
 * <pre>
 * allow|deny  all|configure,write,read  [on VIRTUAL-HOST]  [queue|exchange|topic|mqtt-topic|broker PATTERN]
 * </pre>
 *
 * <p>Names and virtual hosts are patterns with {@code *} for any characters. Topics are filters, in the spelling of AMQP
 * and JMS ({@code sensors.*.temperature}) or of MQTT ({@code sensors/+/temperature}); one rule holds for every protocol
 * [A-5]. {@code %u} is the user's name, {@code %c} its client id; a name with separators or wildcards in it matches nothing
 * there. {@code $SYS} is allowed by rules that name it, and by those about everything. Without an object the rule is about
 * all. Queues of subscriptions and MQTT sessions ({@code amq.…}) are allowed by rules that allow everything, and by those
 * whose pattern begins with {@code amq.}: {@code *} is not meant to be about what others have subscribed to. Immutable.
 *
 * @param text as written
 * @param kind null = all
 */
public record AccessRule(
        String text,
        boolean allows,
        Set<Action> actions,
        String virtualHost,
        @Nullable ObjectKind kind,
        String pattern,
        boolean mqttSpelling) {
    private static final String SYSTEM_QUEUES = "amq.";
    private static final Pattern WORD_OF_A_FILTER = Pattern.compile("(^|[./])[#+](?=[./]|$)");
    private static final Pattern FORM = Pattern.compile(
            "(allow|deny) +(all|[a-z]+(?:,[a-z]+)*)(?: +on +(\\S+))?(?: +(queue|exchange|topic|mqtt-topic|broker)(?: +(.+))?)?");

    public AccessRule {
        actions = Set.copyOf(actions);
    }

    /** @throws IllegalArgumentException if the text is no rule; says what is expected */
    public static AccessRule parse(String text) {
        Matcher parts = FORM.matcher(text.strip());
        if (!parts.matches()) {
            throw new IllegalArgumentException("'" + text
                    + "' is no permission (expected: allow|deny, then all or some of configure,write,read, then maybe"
                    + " 'on VIRTUAL-HOST', then maybe queue, exchange, topic, mqtt-topic or broker and a pattern)");
        }
        String kind = parts.group(4);
        boolean mqtt = "mqtt-topic".equals(kind);
        String pattern = parts.group(5);
        String all = kind != null && kind.endsWith("topic") ? "#" : "*";
        return new AccessRule(
                text.strip(),
                parts.group(1).equals("allow"),
                actions(parts.group(2)),
                parts.group(3) == null ? "*" : parts.group(3),
                kind == null ? null : ObjectKind.valueOf((mqtt ? "topic" : kind).toUpperCase(Locale.ROOT)),
                pattern == null ? all : pattern,
                mqtt);
    }

    private static Set<Action> actions(String text) {
        if (text.equals("all")) {
            return EnumSet.allOf(Action.class);
        }
        Set<Action> actions = EnumSet.noneOf(Action.class);
        for (String word : text.split(",", -1)) {
            try {
                actions.add(Action.valueOf(word.toUpperCase(Locale.ROOT)));
            } catch (IllegalArgumentException unknown) {
                throw new IllegalArgumentException(
                        "'" + word + "' is no action (expected: configure, write, read or all)", unknown);
            }
        }
        return actions;
    }

    /**
     * What the rule probably does not say though it looks so, or null: in names {@code #} and {@code +} are characters as any
     * others, a word of them alone is one of a topic filter.
     */
    public @Nullable String doubt() {
        if (kind == null
                || kind == ObjectKind.TOPIC
                || !WORD_OF_A_FILTER.matcher(pattern).find()) {
            return null;
        }
        return "in '" + text
                + "' the '#' or '+' is no wildcard: names of queues and exchanges have '*' for any characters"
                + " (meant: '" + kind.word() + " "
                + WORD_OF_A_FILTER.matcher(pattern).replaceAll("$1*") + "'?)";
    }

    /** True if it decides about everything in that virtual host. */
    boolean isAboutAll(String host) {
        return kind == null && actions.size() == Action.values().length && Glob.matches(virtualHost, host);
    }

    /**
     * The rule for one user and client, ready to be asked; null if it can match nothing there.
     *
     * @param clientId null = any of the user: a rule with {@code %c} allows what it may allow to one, and denies nothing
     */
    @Nullable
    Applied apply(String user, @Nullable String clientId) {
        boolean topic = kind == ObjectKind.TOPIC;
        String special = !topic ? "*" : mqttSpelling ? "/+#" : ".*#";
        String filled = pattern;
        if (filled.contains("%u")) {
            if (containsAny(user, special)) {
                return null;
            }
            filled = filled.replace("%u", user);
        }
        if (pattern.contains("%c")) {
            if (clientId == null ? !allows : clientId.isEmpty() || containsAny(clientId, special)) {
                return null;
            }
            filled = filled.replace("%c", clientId != null ? clientId : topic && mqttSpelling ? "+" : "*");
        }
        return new Applied(this, filled, Filters.words(topic && mqttSpelling ? TopicNames.swap(filled) : filled));
    }

    private static boolean containsAny(String name, String special) {
        return name.chars().anyMatch(c -> special.indexOf(c) >= 0);
    }

    /** Place-holders filled in. */
    record Applied(AccessRule rule, String pattern, String[] words) {
        /**
         * True if the rule decides about the object, a topic or filter in key text if it is one.
         *
         * @param filtered a denial decides only if it is about all of the object, not if the two overlap
         */
        boolean decides(Action action, ObjectKind of, String object, boolean filtered) {
            if (!rule.actions().contains(action) || (rule.kind() != null && rule.kind() != of)) {
                return false;
            }
            if (of == ObjectKind.QUEUE && object.startsWith(SYSTEM_QUEUES) && rule.allows() && !namesSystemQueues()) {
                return false;
            }
            if (rule.kind() == null) {
                return true;
            }
            if (of != ObjectKind.TOPIC) {
                return Glob.matches(pattern, object);
            }
            String[] asked = Filters.words(object);
            if (rule.allows()) {
                return Filters.covers(words, asked) && !impliesBroker(asked);
            }
            return filtered ? Filters.covers(words, asked) : Filters.overlap(words, asked);
        }

        /** True if it denies some topics of a filter, and not all. */
        boolean closesAPart(String object) {
            return !rule.allows() && rule.kind() == ObjectKind.TOPIC && !Filters.covers(words, Filters.words(object));
        }

        /** What the broker tells of itself has to be allowed by name. */
        private boolean impliesBroker(String[] asked) {
            return asked.length > 0 && asked[0].equals(TopicNames.BROKER) && !words[0].equals(TopicNames.BROKER);
        }

        private boolean namesSystemQueues() {
            return rule.kind() == null
                    ? rule.actions().size() == Action.values().length
                    : pattern.startsWith(SYSTEM_QUEUES);
        }
    }
}
