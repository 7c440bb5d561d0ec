package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.routing.selector.BindingFilter;
import io.mainstem.routing.selector.Dialect;
import io.mainstem.routing.selector.Selector;
import io.mainstem.routing.selector.SelectorException;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.qpid.proton.amqp.DescribedType;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.jspecify.annotations.Nullable;

/**
 * The filters of a source that the broker honours. Those of other kinds are left out, here and in the answer.
 * Immutable.
 *
 * @param selector what the link wants to see; null = everything
 * @param noLocal nothing that its own container has published
 * @param honoured as they came, by key
 */
record SourceFilters(@Nullable Selector selector, boolean noLocal, Map<Symbol, Object> honoured) {
    private static final SourceFilters NONE = new SourceFilters(null, false, Map.of());

    /** @throws AmqpException invalid-field for the link, saying what is wrong with which filter */
    static SourceFilters of(Source asked) {
        Map<?, ?> filters = asked.getFilter();
        if (filters == null || filters.isEmpty()) {
            return NONE;
        }
        Map<Symbol, Object> honoured = new LinkedHashMap<>();
        Map<FilterKind, Object> values = new EnumMap<>(FilterKind.class);
        filters.forEach((key, filter) -> {
            FilterKind kind = FilterKind.of(filter);
            if (kind == null) {
                return;
            }
            honoured.put(Symbol.valueOf(String.valueOf(key)), filter);
            Object before = values.put(kind, ((DescribedType) filter).getDescribed());
            if (before != null) {
                throw invalid("two filters of kind " + kind.key, "combine them");
            }
        });
        return new SourceFilters(selector(values), values.containsKey(FilterKind.NO_LOCAL), honoured);
    }

    /** The filters of a stored subscription, as its look-up shows them [mapping 4.6]. */
    static Map<Symbol, Object> stored(Map<String, Object> arguments) {
        BindingFilter filter;
        try {
            filter = BindingFilter.of(arguments);
        } catch (SelectorException ofAnotherVersion) {
            // It lets nothing through, as the log said at the start; there is nothing to show that would be in force.
            return Map.of();
        }
        Map<Symbol, Object> shown = new HashMap<>();
        Selector selector = filter.selector();
        if (selector != null) {
            FilterKind kind = selector.dialect() == Dialect.JMS ? FilterKind.JMS_SELECTOR : FilterKind.SQL;
            shown.put(Symbol.valueOf(kind.key), kind.described(selector.text()));
        }
        if (filter.notFrom() != null) {
            shown.put(Symbol.valueOf(FilterKind.NO_LOCAL.key), FilterKind.NO_LOCAL.described(List.of()));
        }
        return shown;
    }

    /** True if both let the same messages through. */
    boolean selectsLike(SourceFilters other) {
        return noLocal == other.noLocal && text(selector).equals(text(other.selector));
    }

    private static String text(@Nullable Selector selector) {
        return selector == null ? "" : selector.dialect() + " " + selector.text();
    }

    /** As arguments of a subscription's binding [S-11]. */
    Map<String, Object> toArguments(String containerId) {
        return new BindingFilter(selector, noLocal ? containerId : null).toArguments();
    }

    /** Without no-local, which has no meaning on a queue: it is not honoured there, and so not answered. */
    SourceFilters ofQueue() {
        if (!noLocal) {
            return this;
        }
        Map<Symbol, Object> rest = new LinkedHashMap<>(honoured);
        rest.values().removeIf(filter -> FilterKind.of(filter) == FilterKind.NO_LOCAL);
        return new SourceFilters(selector, false, rest);
    }

    private static @Nullable Selector selector(Map<FilterKind, Object> values) {
        boolean byProperties =
                values.containsKey(FilterKind.PROPERTIES) || values.containsKey(FilterKind.APPLICATION_PROPERTIES);
        boolean bySql = values.containsKey(FilterKind.SQL);
        boolean byJms = values.containsKey(FilterKind.JMS_SELECTOR);
        if ((byProperties && bySql) || (byProperties && byJms) || (bySql && byJms)) {
            throw invalid("property filters, SQL filter and JMS selector together", "use one of them");
        }
        if (byJms) {
            return compile(Dialect.JMS, text(FilterKind.JMS_SELECTOR, values));
        }
        return compile(Dialect.SQL, bySql ? text(FilterKind.SQL, values) : byProperties(values));
    }

    private static String byProperties(Map<FilterKind, Object> values) {
        PropertyFilters filters = new PropertyFilters();
        Object properties = values.get(FilterKind.PROPERTIES);
        if (properties != null) {
            filters.properties(map(FilterKind.PROPERTIES, properties));
        }
        Object application = values.get(FilterKind.APPLICATION_PROPERTIES);
        if (application != null) {
            filters.applicationProperties(map(FilterKind.APPLICATION_PROPERTIES, application));
        }
        return filters.sql();
    }

    private static @Nullable Selector compile(Dialect dialect, String text) {
        try {
            return Selector.compile(dialect, text);
        } catch (SelectorException notUnderstood) {
            throw AmqpException.link(AmqpError.INVALID_FIELD, String.valueOf(notUnderstood.getMessage()));
        }
    }

    private static String text(FilterKind kind, Map<FilterKind, Object> values) {
        if (values.get(kind) instanceof String text) {
            return text;
        }
        throw invalid(kind.key + " without text", "give it as a string");
    }

    private static Map<?, ?> map(FilterKind kind, Object value) {
        if (value instanceof Map<?, ?> map) {
            return map;
        }
        throw invalid(kind.key + " without fields", "give it as a map");
    }

    private static AmqpException invalid(String problem, String fix) {
        return AmqpException.link(AmqpError.INVALID_FIELD, "MS-0520 source filter: " + problem + " fix: " + fix);
    }
}
