package io.mainstem.routing.topology;

import io.mainstem.routing.ExchangeSpec;
import io.mainstem.routing.QueueInfo;
import io.mainstem.routing.TopologyView;
import java.util.ArrayList;
import java.util.List;
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
        List<QueueInfo> page = new ArrayList<>();
        for (String name : state.sorted().queues().page(each -> each.compareTo(after) > 0, limit)) {
            QueueTarget target = state.queues().get(name);
            if (target != null) {
                page.add(info(target));
            }
        }
        return page;
    }

    @Override
    public @Nullable ExchangeSpec exchange(String name) {
        Exchange exchange = state.exchanges().get(name);
        return exchange == null ? null : exchange.spec();
    }

    @Override
    public List<ExchangeSpec> exchanges(String after, int limit) {
        List<ExchangeSpec> page = new ArrayList<>();
        for (String name : state.sorted().exchanges().page(each -> each.compareTo(after) > 0, limit)) {
            Exchange exchange = state.exchanges().get(name);
            if (exchange != null) {
                page.add(exchange.spec());
            }
        }
        return page;
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
        List<BindingInfo> page = new ArrayList<>();
        List<BindingId> ids = state.sorted().bindings().page(id -> id.hex().compareTo(after) > 0, limit);
        for (BindingId id : ids) {
            Binding binding = state.bindings().get(id);
            if (binding != null) {
                page.add(new BindingInfo(binding.spec(), id.hex()));
            }
        }
        return page;
    }

    private static QueueInfo info(QueueTarget target) {
        return new QueueInfo(target.spec(), target.queueId(), false);
    }
}
