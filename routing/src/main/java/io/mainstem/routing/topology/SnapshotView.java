package io.mainstem.routing.topology;

import io.mainstem.routing.ExchangeSpec;
import io.mainstem.routing.QueueInfo;
import io.mainstem.routing.TopologyView;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A topology state, for looking at. Immutable; thread: any. */
final class SnapshotView implements TopologyView {
    private final TopologyState state;

    SnapshotView(TopologyState state) {
        this.state = state;
    }

    @Override
    public @Nullable QueueInfo queue(String name) {
        QueueTarget target = state.queues().get(name);
        return target == null ? null : info(target);
    }

    @Override
    public List<QueueInfo> queues(String after, int limit) {
        Page<QueueInfo> page = new Page<>(after, limit);
        state.queues().forEach((name, target) -> {
            if (page.takes(name)) {
                page.add(name, info(target));
            }
        });
        return page.items();
    }

    @Override
    public @Nullable ExchangeSpec exchange(String name) {
        Exchange exchange = state.exchanges().get(name);
        return exchange == null ? null : exchange.spec();
    }

    @Override
    public List<ExchangeSpec> exchanges(String after, int limit) {
        Page<ExchangeSpec> page = new Page<>(after, limit);
        state.exchanges().forEach((name, exchange) -> {
            if (page.takes(name)) {
                page.add(name, exchange.spec());
            }
        });
        return page.items();
    }

    @Override
    public List<BindingInfo> bindingsTo(String destination, boolean toQueue) {
        List<BindingInfo> bindings = new ArrayList<>();
        for (Binding binding : state.bindingsTo(new Destination(destination, toQueue))) {
            bindings.add(new BindingInfo(binding.spec(), binding.id().hex()));
        }
        return bindings;
    }

    @Override
    public int bindingCount() {
        return state.bindings().size();
    }

    @Override
    public List<BindingInfo> bindings(String after, int limit) {
        Page<BindingInfo> page = new Page<>(after, limit);
        state.bindings().forEach((id, binding) -> {
            String name = id.hex();
            if (page.takes(name)) {
                page.add(name, new BindingInfo(binding.spec(), name));
            }
        });
        return page.items();
    }

    private static QueueInfo info(QueueTarget target) {
        return new QueueInfo(target.spec(), target.queueId(), false);
    }

    /** The first objects after a name, whatever the order they come in. */
    private static final class Page<T> {
        private final TreeMap<String, T> first = new TreeMap<>();
        private final String after;
        private final int limit;

        Page(String after, int limit) {
            if (limit < 1) {
                throw new IllegalArgumentException("limit: " + limit + " (expected: at least 1)");
            }
            this.after = after;
            this.limit = limit;
        }

        boolean takes(String name) {
            return name.compareTo(after) > 0 && (first.size() < limit || name.compareTo(first.lastKey()) < 0);
        }

        void add(String name, T item) {
            first.put(name, item);
            if (first.size() > limit) {
                first.pollLastEntry();
            }
        }

        List<T> items() {
            return List.copyOf(first.values());
        }
    }
}
