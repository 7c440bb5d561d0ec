package io.mainstem.routing.topology;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.selector.BindingFilter;
import io.mainstem.routing.selector.Dialect;
import io.mainstem.routing.selector.Selector;
import io.mainstem.routing.selector.SelectorException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A binding made ready for matching. Immutable. Equal by identity of the binding.
 *
 * @param durable both ends survive a restart, and so does it
 * @param mqtt made by an MQTT subscription: the rules [A-6] and [A-7] restrict it
 * @param wildcardFirst the key's first word is a wildcard
 * @param filter what it lets through of the messages whose key matches [S-11]
 */
record Binding(
        BindingId id, BindingSpec spec, boolean durable, boolean mqtt, boolean wildcardFirst, BindingFilter filter) {
    private static final Logger LOG = LoggerFactory.getLogger(Binding.class);

    /** @throws SelectorException if its selector cannot be understood */
    static Binding of(BindingSpec spec, boolean durable) {
        return of(spec, durable, BindingFilter.of(spec.arguments()));
    }

    /** A durable binding from the log. A selector that this version does not understand lets nothing through. */
    static Binding restored(BindingSpec spec) {
        try {
            return of(spec, true);
        } catch (SelectorException notUnderstood) {
            LOG.error(
                    "MS-0352 selector of a stored binding not understood, nothing goes through it source={} "
                            + "destination={} cause={} fix: subscribe again with a selector of this version",
                    spec.source(),
                    spec.destination(),
                    notUnderstood.getMessage());
            return of(spec, true, new BindingFilter(Selector.compile(Dialect.JMS, "FALSE"), null));
        }
    }

    private static Binding of(BindingSpec spec, boolean durable, BindingFilter filter) {
        String key = spec.key();
        boolean wildcard = key.startsWith("*") || key.startsWith("#");
        boolean mqtt = Boolean.TRUE.equals(spec.arguments().get("mqtt"));
        return new Binding(
                BindingId.of(spec),
                spec,
                durable,
                mqtt,
                wildcard && (key.length() == 1 || key.charAt(1) == '.'),
                filter);
    }

    /** True if the key matches the pattern, and not for a subscriber of MQTT [A-6]. */
    boolean hidden(String key) {
        return mqtt && wildcardFirst && key.startsWith("$");
    }

    Destination destination() {
        return new Destination(spec.destination(), spec.toQueue());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Binding binding && binding.id.equals(id);
    }

    @Override
    public int hashCode() {
        return id.hashCode();
    }
}
