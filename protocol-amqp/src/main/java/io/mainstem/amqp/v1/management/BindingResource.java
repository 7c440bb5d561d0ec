package io.mainstem.amqp.v1.management;

import io.mainstem.routing.BindingSpec;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.TopologyView.BindingInfo;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** {@code /bindings}: bind, look, unbind, list. Thread: the connection's event loop. */
final class BindingResource {
    private static final Set<String> FIELDS =
            Set.of("source", "destination_queue", "destination_exchange", "binding_key", "arguments");

    private final BrokerSession broker;

    BindingResource(BrokerSession broker) {
        this.broker = broker;
    }

    CompletionStage<Response> bind(@Nullable Object body) {
        Fields fields = Fields.of(body, FIELDS);
        String queue = fields.text("destination_queue");
        String exchange = fields.text("destination_exchange");
        if ((queue == null) == (exchange == null)) {
            throw RequestException.bad("expected: either 'destination_queue' or 'destination_exchange'");
        }
        BindingSpec spec = new BindingSpec(
                fields.demand("source"),
                queue != null ? queue : String.valueOf(exchange),
                queue != null,
                fields.text("binding_key", ""),
                fields.arguments(true));
        return broker.bind(spec).thenApply(done -> Response.noContent()).exceptionally(failure -> {
            Throwable cause = Absence.cause(failure);
            if (cause instanceof BrokerException refusal && refusal.kind() == ErrorKind.NOT_FOUND) {
                // Not 404: the path is right, its body names what is missing.
                return new Response(Response.BAD_REQUEST, refusal.getMessage());
            }
            throw new CompletionException(cause);
        });
    }

    /** Unbinding what is not bound has worked. */
    CompletionStage<Response> unbind(String segment) {
        BindingLocation location = BindingLocation.parse(segment);
        for (BindingInfo binding : broker.topology().bindingsTo(location.destination(), location.toQueue())) {
            if (BindingLocation.of(binding).equals(location)) {
                return Absence.isDone(
                        broker.unbind(binding.spec()).thenApply(done -> Response.noContent()), Response.noContent());
            }
        }
        return CompletableFuture.completedFuture(Response.noContent());
    }

    /** Those to one destination, as a plain list; or, our extension, a page of all. */
    CompletionStage<Response> list(Target target) {
        String queue = target.parameter("dstq");
        String exchange = target.parameter("dste");
        if (queue == null && exchange == null) {
            return listAll(target);
        }
        String source = target.parameter("src");
        String key = target.parameter("key");
        List<Map<String, @Nullable Object>> items = new ArrayList<>();
        for (BindingInfo binding :
                broker.topology().bindingsTo(queue != null ? queue : String.valueOf(exchange), queue != null)) {
            boolean wanted = (source == null || source.equals(binding.spec().source()))
                    && (key == null || key.equals(binding.spec().key()));
            if (wanted) {
                items.add(map(binding));
            }
        }
        return CompletableFuture.completedFuture(Response.ok(items));
    }

    private CompletionStage<Response> listAll(Target target) {
        if (target.parameter("limit") == null) {
            throw RequestException.bad(
                    "no destination in query (expected: dstq=QUEUE or dste=EXCHANGE; or limit=N for a"
                            + " page of all)");
        }
        broker.requireAdministration("list bindings");
        Page page = Page.of(target);
        List<Map<String, @Nullable Object>> items = new ArrayList<>();
        String last = null;
        for (BindingInfo binding : broker.topology().bindings(page.after(), page.limit())) {
            items.add(map(binding));
            last = binding.id();
        }
        return CompletableFuture.completedFuture(page.full(items, last));
    }

    private static Map<String, @Nullable Object> map(BindingInfo binding) {
        BindingSpec spec = binding.spec();
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("source", spec.source());
        map.put(spec.toQueue() ? "destination_queue" : "destination_exchange", spec.destination());
        map.put("binding_key", spec.key());
        map.put("arguments", Arguments.toWire(spec.arguments()));
        map.put("location", BindingLocation.of(binding).path());
        return map;
    }
}
