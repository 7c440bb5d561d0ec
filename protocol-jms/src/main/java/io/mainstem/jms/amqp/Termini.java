package io.mainstem.jms.amqp;

import io.mainstem.jms.destination.DestinationKind;
import io.mainstem.jms.destination.MainstemDestination;
import io.mainstem.jms.link.ReceiverRequest;
import io.mainstem.jms.link.Subscription;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.qpid.proton.amqp.DescribedType;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedLong;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.DeleteOnClose;
import org.apache.qpid.proton.amqp.messaging.Modified;
import org.apache.qpid.proton.amqp.messaging.Rejected;
import org.apache.qpid.proton.amqp.messaging.Released;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.messaging.TerminusDurability;
import org.apache.qpid.proton.amqp.messaging.TerminusExpiryPolicy;
import org.jspecify.annotations.Nullable;

/** Sources and targets, as the mapping of Jakarta Messaging to AMQP has them (mapping 4.3 to 4.10). Thread: any. */
final class Termini {
    static final Symbol SHARED = Symbol.valueOf("shared");
    static final Symbol GLOBAL = Symbol.valueOf("global");

    private static final Symbol SELECTOR = Symbol.valueOf("jms-selector");
    private static final Symbol NO_LOCAL = Symbol.valueOf("no-local");
    private static final UnsignedLong SELECTOR_CODE = UnsignedLong.valueOf(0x0000468C00000004L);
    private static final UnsignedLong NO_LOCAL_CODE = UnsignedLong.valueOf(0x0000468C00000003L);
    private static final Symbol[] OUTCOMES = {
        Accepted.DESCRIPTOR_SYMBOL, Rejected.DESCRIPTOR_SYMBOL, Released.DESCRIPTOR_SYMBOL, Modified.DESCRIPTOR_SYMBOL
    };

    private Termini() {}

    static Source source(ReceiverRequest request) {
        Source source = new Source();
        source.setAddress(request.source().address());
        source.setOutcomes(OUTCOMES);
        source.setDefaultOutcome(failed());
        source.setFilter(filters(request));
        if (request.browse()) {
            source.setDistributionMode(Symbol.valueOf("copy"));
        }
        List<Symbol> capabilities = new ArrayList<>();
        capabilities.add(Symbol.valueOf(request.source().kind().capability()));
        Subscription subscription = request.subscription();
        boolean durable = subscription != null && subscription.durable();
        source.setDurable(durable ? TerminusDurability.UNSETTLED_STATE : TerminusDurability.NONE);
        source.setExpiryPolicy(durable ? TerminusExpiryPolicy.NEVER : TerminusExpiryPolicy.LINK_DETACH);
        if (subscription != null && subscription.shared()) {
            capabilities.add(SHARED);
            if (subscription.global()) {
                capabilities.add(GLOBAL);
            }
        }
        source.setCapabilities(capabilities.toArray(Symbol[]::new));
        return source;
    }

    private static @Nullable Map<Symbol, Object> filters(ReceiverRequest request) {
        Map<Symbol, Object> filters = new HashMap<>();
        if (request.noLocal()) {
            filters.put(NO_LOCAL, new Described(NO_LOCAL_CODE, List.of()));
        }
        if (request.selector() != null) {
            filters.put(SELECTOR, new Described(SELECTOR_CODE, request.selector()));
        }
        return filters.isEmpty() ? null : filters;
    }

    /** What happens to deliveries without an answer. */
    static Modified failed() {
        Modified modified = new Modified();
        modified.setDeliveryFailed(true);
        return modified;
    }

    /** @param destination null: the anonymous relay */
    static Target target(@Nullable MainstemDestination destination) {
        Target target = new Target();
        if (destination != null) {
            target.setAddress(destination.address());
            target.setCapabilities(Symbol.valueOf(destination.kind().capability()));
        }
        return target;
    }

    /** @param address to be had again (docs/protocols/amqp-1.0.md, dynamic nodes) */
    static Target temporary(DestinationKind kind, @Nullable String address) {
        Target target = new Target();
        target.setDynamic(true);
        target.setDurable(TerminusDurability.NONE);
        target.setExpiryPolicy(TerminusExpiryPolicy.LINK_DETACH);
        Map<Symbol, Object> properties = new HashMap<>();
        properties.put(Symbol.valueOf("lifetime-policy"), DeleteOnClose.getInstance());
        if (address != null) {
            properties.put(Symbol.valueOf("mainstem:address"), address);
        }
        target.setDynamicNodeProperties(properties);
        target.setCapabilities(Symbol.valueOf(kind.capability()));
        return target;
    }

    /** A filter. */
    private record Described(Object descriptor, Object value) implements DescribedType {
        @Override
        public Object getDescriptor() {
            return descriptor;
        }

        @Override
        public Object getDescribed() {
            return value;
        }
    }
}
