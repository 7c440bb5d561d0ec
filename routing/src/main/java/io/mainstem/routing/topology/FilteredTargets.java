package io.mainstem.routing.topology;

import io.mainstem.routing.selector.BindingFilter;
import io.mainstem.routing.selector.MessageFields;
import io.mainstem.routing.selector.SelectorIndex;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Queues that get a message if one of their filters lets it through. Equal filters are tried once per message, and those
 * that ask for a constant, such as {@code color = 'red'}, only for messages that have it [F-1]. Immutable; thread: any.
 */
final class FilteredTargets {
    private final SelectorIndex<Group> index;
    private final int size;

    /** @param filters by queue: at least one each, none that lets everything through */
    FilteredTargets(Map<RouteResult.Target, List<BindingFilter>> filters) {
        Map<BindingFilter, List<RouteResult.Target>> byFilter = new LinkedHashMap<>();
        filters.forEach((target, any) -> any.forEach(each ->
                byFilter.computeIfAbsent(each, filter -> new ArrayList<>()).add(target)));
        List<Group> groups = new ArrayList<>(byFilter.size());
        byFilter.forEach((filter, targets) -> groups.add(new Group(filter, List.copyOf(targets))));
        this.index = new SelectorIndex<>(groups, group -> group.filter().selector());
        this.size = filters.size();
    }

    int size() {
        return size;
    }

    /** The queues that get it, each once. */
    List<RouteResult.Target> of(MessageFields message) {
        List<Group> taken = new ArrayList<>();
        index.forEachCandidate(message, group -> {
            if (group.filter().takes(message)) {
                taken.add(group);
            }
        });
        if (taken.size() <= 1) {
            return taken.isEmpty() ? List.of() : taken.get(0).targets();
        }
        Map<Integer, RouteResult.Target> byQueue = new LinkedHashMap<>();
        for (Group group : taken) {
            group.targets().forEach(target -> byQueue.put(target.queue().queueId(), target));
        }
        return List.copyOf(byQueue.values());
    }

    private record Group(BindingFilter filter, List<RouteResult.Target> targets) {}
}
