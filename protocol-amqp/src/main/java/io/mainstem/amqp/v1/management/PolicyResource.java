package io.mainstem.amqp.v1.management;

import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.Policy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** {@code /policies}: set, look, delete, list; our extension, for administrators. Thread: the connection's event loop. */
final class PolicyResource {
    private static final Set<String> FIELDS = Set.of("pattern", "priority", "definition");

    private final BrokerSession broker;
    private final String virtualHost;

    PolicyResource(BrokerSession broker, String virtualHost) {
        this.broker = broker;
        this.virtualHost = virtualHost;
    }

    CompletionStage<Response> set(String name, @Nullable Object body) {
        Fields fields = Fields.of(body, FIELDS);
        Policy policy = new Policy(
                name, fields.demand("pattern"), fields.number("priority", 0), fields.arguments("definition", false));
        return broker.setPolicy(policy).thenApply(done -> Response.noContent());
    }

    CompletionStage<Response> show(String name) {
        broker.requireAdministration("list policies");
        for (Policy policy : broker.policies()) {
            if (policy.name().equals(name)) {
                return CompletableFuture.completedFuture(Response.ok(map(policy)));
            }
        }
        throw new RequestException(
                Response.NOT_FOUND, "MS-0541 no policy '" + name + "' in vhost '" + virtualHost + "'");
    }

    /** Deleting what is not there has worked. */
    CompletionStage<Response> delete(String name) {
        return Absence.isDone(broker.deletePolicy(name).thenApply(done -> Response.noContent()), Response.noContent());
    }

    /** By name. */
    CompletionStage<Response> list(Page page) {
        broker.requireAdministration("list policies");
        List<Policy> wanted = new ArrayList<>(broker.policies());
        wanted.removeIf(policy -> policy.name().compareTo(page.after()) <= 0);
        wanted.sort((one, other) -> one.name().compareTo(other.name()));
        List<Map<String, @Nullable Object>> items = new ArrayList<>();
        String last = null;
        for (Policy policy : wanted.subList(0, Math.min(page.limit(), wanted.size()))) {
            items.add(map(policy));
            last = policy.name();
        }
        return CompletableFuture.completedFuture(page.full(items, last));
    }

    private Map<String, @Nullable Object> map(Policy policy) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("name", policy.name());
        map.put("vhost", virtualHost);
        map.put("pattern", policy.pattern());
        map.put("priority", policy.priority());
        map.put("definition", Arguments.toWire(policy.definition()));
        return map;
    }
}
