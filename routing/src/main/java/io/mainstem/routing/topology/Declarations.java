package io.mainstem.routing.topology;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.ExchangeSpec;
import io.mainstem.routing.ExchangeType;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.ResourceNames;
import io.mainstem.routing.selector.BindingFilter;
import io.mainstem.routing.selector.SelectorException;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What may be declared at all, whatever exists [A-1], [A-2], [A-4]. Throws {@link BrokerException}. Thread: any. */
final class Declarations {
    private static final int BINDING_WORDS_MAX = 128;
    private static final int BINDING_MANY_MAX = 2;
    /** Least and greatest value of the numeric queue arguments. */
    private static final Map<String, long[]> NUMBERS = Map.of(
            "x-max-priority", new long[] {0, 255},
            "x-message-ttl", new long[] {0, Long.MAX_VALUE},
            "x-expires", new long[] {1, Long.MAX_VALUE},
            "x-delivery-limit", new long[] {0, Integer.MAX_VALUE},
            "x-max-length", new long[] {0, Long.MAX_VALUE},
            "x-max-length-bytes", new long[] {0, Long.MAX_VALUE});

    private static final Set<String> TEXTS = Set.of("x-dead-letter-exchange", "x-dead-letter-routing-key");

    private Declarations() {}

    static void check(QueueSpec spec) {
        checkName("queue", spec.name());
        if (spec.name().startsWith(ResourceNames.RESERVED) && !spec.system()) {
            throw reserved("queue", spec.name());
        }
        String owner = "queue '" + spec.name() + "'";
        checkTypes(owner, spec.arguments());
        NUMBERS.forEach(
                (name, range) -> checkNumber(owner, name, spec.arguments().get(name), range));
        TEXTS.forEach(name -> checkText(owner, name, spec.arguments().get(name)));
    }

    static void check(ExchangeSpec spec) {
        if (spec.name().equals(Exchange.DEFAULT)
                || (spec.name().startsWith(ResourceNames.RESERVED) && !Exchange.isPredeclared(spec.name()))) {
            throw reserved("exchange", spec.name());
        }
        checkName("exchange", spec.name());
        String owner = "exchange '" + spec.name() + "'";
        checkTypes(owner, spec.arguments());
        checkText(owner, Exchange.ALTERNATE, spec.arguments().get(Exchange.ALTERNATE));
    }

    static void checkDelete(String exchange) {
        if (exchange.equals(Exchange.DEFAULT) || exchange.startsWith(ResourceNames.RESERVED)) {
            throw reserved("exchange", exchange);
        }
    }

    /** What the binding says, given the type of its source exchange. */
    static void check(BindingSpec spec, ExchangeType source) {
        String owner = "binding from exchange '" + spec.source() + "' to '" + spec.destination() + "'";
        checkTypes(owner, spec.arguments());
        checkFilter(owner, spec);
        if (!TopicNames.withinKeyBytes(spec.key())) {
            throw invalidKey(owner, "is longer than " + TopicNames.KEY_BYTES_MAX + " bytes", "use a shorter key");
        }
        if (source == ExchangeType.TOPIC) {
            checkPattern(owner, spec.key());
        }
        if (source == ExchangeType.HEADERS) {
            Object mode = spec.arguments().getOrDefault("x-match", "all");
            if (!(mode instanceof String text && HeadersMatcher.MODES.contains(text))) {
                throw invalidArgument(owner, "x-match", mode, "all, any, all-with-x or any-with-x");
            }
        }
    }

    private static void checkFilter(String owner, BindingSpec spec) {
        checkText(owner, BindingFilter.JMS_SELECTOR, spec.arguments().get(BindingFilter.JMS_SELECTOR));
        checkText(owner, BindingFilter.SQL_FILTER, spec.arguments().get(BindingFilter.SQL_FILTER));
        checkText(owner, BindingFilter.NOT_FROM, spec.arguments().get(BindingFilter.NOT_FROM));
        try {
            BindingFilter.of(spec.arguments());
        } catch (SelectorException notUnderstood) {
            throw new BrokerException(
                    ErrorKind.INVALID_ARGUMENT,
                    "MS-0351",
                    owner + ": " + notUnderstood.getMessage(),
                    "correct the argument or leave it out");
        }
    }

    private static void checkPattern(String owner, String key) {
        String[] words = TopicTrie.words(key);
        int many = 0;
        for (String word : words) {
            many += word.equals("#") ? 1 : 0;
        }
        if (many > BINDING_MANY_MAX) {
            throw invalidKey(owner, "has " + many + " words '#'", "use at most " + BINDING_MANY_MAX);
        }
        if (words.length > BINDING_WORDS_MAX) {
            throw invalidKey(owner, "has " + words.length + " words", "use at most " + BINDING_WORDS_MAX);
        }
    }

    private static void checkName(String kind, String name) {
        String problem = ResourceNames.problem(name);
        if (problem != null) {
            String shown = name.length() > 64 ? name.substring(0, 64) + "..." : name;
            throw new BrokerException(
                    ErrorKind.INVALID_ARGUMENT,
                    "MS-0304",
                    "the " + kind + " name '" + shown + "' is not allowed (expected: " + problem + ").",
                    "choose another name");
        }
    }

    private static void checkTypes(String owner, Map<String, Object> arguments) {
        arguments.forEach((name, value) -> {
            boolean known = value instanceof String
                    || value instanceof Boolean
                    || value instanceof Long
                    || value instanceof Integer
                    || value instanceof Short
                    || value instanceof Byte
                    || value instanceof Double
                    || value instanceof Float
                    || value instanceof byte[]
                    || value == BindingSpec.VOID;
            if (!known) {
                throw invalidArgument(
                        owner, name, value.getClass().getSimpleName(), "text, number, boolean, bytes or void");
            }
        });
    }

    private static void checkNumber(String owner, String name, @Nullable Object value, long[] range) {
        if (value == null) {
            return;
        }
        boolean whole = value instanceof Number && !(value instanceof Double) && !(value instanceof Float);
        if (!whole || ((Number) value).longValue() < range[0] || ((Number) value).longValue() > range[1]) {
            throw invalidArgument(owner, name, value, "a whole number from " + range[0] + " to " + range[1]);
        }
    }

    private static void checkText(String owner, String name, @Nullable Object value) {
        if (value != null && !(value instanceof String)) {
            throw invalidArgument(owner, name, value, "text");
        }
    }

    static BrokerException reserved(String kind, String name) {
        return new BrokerException(
                ErrorKind.ACCESS_REFUSED,
                "MS-0305",
                kind + " '" + name + "' is the broker's own: it can be used, not declared, bound or deleted.",
                "choose a name that is not empty and does not begin with 'amq.'");
    }

    private static BrokerException invalidArgument(String owner, String name, Object found, String wanted) {
        return new BrokerException(
                ErrorKind.INVALID_ARGUMENT,
                "MS-0308",
                owner + ": argument '" + name + "' is " + found + ".",
                "give " + wanted);
    }

    private static BrokerException invalidKey(String owner, String problem, String fix) {
        return new BrokerException(ErrorKind.INVALID_ARGUMENT, "MS-0309", owner + ": the key " + problem + ".", fix);
    }
}
