package io.mainstem.routing.selector;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a binding lets through besides its key [S-11]. Lives in the binding's arguments, so it is part of its identity
 * and survives a restart. Immutable; thread: any.
 *
 * @param selector null = every message
 * @param notFrom no message published under this client id or container id (no-local); null = from everybody
 */
public record BindingFilter(
        @Nullable Selector selector, @Nullable String notFrom) {
    /** Argument with the text of a JMS selector. */
    public static final String JMS_SELECTOR = "x-jms-selector";

    /** Argument with the text of an AMQP SQL filter. */
    public static final String SQL_FILTER = "x-sql-filter";

    /** Argument with the publisher id whose messages are left out. */
    public static final String NOT_FROM = "x-no-local";

    /** Lets everything through. */
    public static final BindingFilter NONE = new BindingFilter(null, null);

    /**
     * The filter in a binding's arguments; {@link #NONE} if there is none.
     *
     * @throws SelectorException if its selector cannot be understood
     */
    public static BindingFilter of(Map<String, Object> arguments) {
        if (arguments.isEmpty()) {
            return NONE;
        }
        Selector selector = null;
        if (arguments.get(JMS_SELECTOR) instanceof String text) {
            selector = Selector.compile(Dialect.JMS, text);
        } else if (arguments.get(SQL_FILTER) instanceof String text) {
            selector = Selector.compile(Dialect.SQL, text);
        }
        String notFrom = arguments.get(NOT_FROM) instanceof String id ? id : null;
        return selector == null && notFrom == null ? NONE : new BindingFilter(selector, notFrom);
    }

    /** As arguments of a binding; the inverse of {@link #of}. */
    public Map<String, Object> toArguments() {
        Map<String, Object> arguments = new HashMap<>();
        if (selector != null) {
            arguments.put(selector.dialect() == Dialect.JMS ? JMS_SELECTOR : SQL_FILTER, selector.text());
        }
        if (notFrom != null) {
            arguments.put(NOT_FROM, notFrom);
        }
        return Map.copyOf(arguments);
    }

    /** True if everything goes through. */
    public boolean isNone() {
        return selector == null && notFrom == null;
    }

    /** True if the message goes through. */
    public boolean takes(MessageFields message) {
        return (notFrom == null || !notFrom.equals(message.publisherId()))
                && (selector == null || selector.matches(message));
    }
}
