package io.mainstem.routing;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a virtual host has declared, at one moment. Immutable; thread: any. Lists come in pages, in the order of names
 * (of ids for bindings); a page costs what is on it, not what there is.
 */
public interface TopologyView {
    /** The queue, or null. */
    @Nullable
    QueueInfo queue(String name);

    /**
     * Queues by name.
     *
     * @param after only names greater than this one; "" = from the first
     * @param limit at most so many, at least 1
     */
    List<QueueInfo> queues(String after, int limit);

    /** The exchange, or null. */
    @Nullable
    ExchangeSpec exchange(String name);

    /** Exchanges by name, without the default one; parameters as for {@link #queues}. */
    List<ExchangeSpec> exchanges(String after, int limit);

    /** All bindings to a queue or exchange; order unspecified. */
    List<BindingInfo> bindingsTo(String destination, boolean toQueue);

    /** How many bindings there are. */
    int bindingCount();

    /** Bindings by id; parameters as for {@link #queues}. */
    List<BindingInfo> bindings(String after, int limit);

    /**
     * A binding and its name.
     *
     * @param id 32 hexadecimal digits, a hash of all fields of the binding; the same after a restart
     */
    record BindingInfo(BindingSpec spec, String id) {}
}
