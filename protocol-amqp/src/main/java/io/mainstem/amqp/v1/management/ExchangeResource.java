package io.mainstem.amqp.v1.management;

import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ExchangeSpec;
import io.mainstem.routing.ExchangeType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** {@code /exchanges}: declare, look, delete, list. Thread: the connection's event loop. */
final class ExchangeResource {
    private static final Set<String> FIELDS = Set.of("type", "durable", "auto_delete", "internal", "arguments");

    private final BrokerSession broker;
    private final String virtualHost;

    ExchangeResource(BrokerSession broker, String virtualHost) {
        this.broker = broker;
        this.virtualHost = virtualHost;
    }

    CompletionStage<Response> declare(String name, @Nullable Object body) {
        Fields fields = Fields.of(body, FIELDS);
        ExchangeSpec spec = new ExchangeSpec(
                name,
                type(fields.text("type", "direct")),
                fields.flag("durable", true),
                fields.flag("auto_delete", false),
                fields.flag("internal", false),
                fields.arguments(false));
        return broker.declareExchange(spec).thenApply(done -> Response.noContent());
    }

    /** Our extension. */
    CompletionStage<Response> show(String name) {
        ExchangeSpec spec = broker.topology().exchange(name);
        if (spec == null) {
            throw new RequestException(
                    Response.NOT_FOUND, "MS-0541 no exchange '" + name + "' in vhost '" + virtualHost + "'");
        }
        return CompletableFuture.completedFuture(Response.ok(map(spec)));
    }

    /** Deleting what is not there has worked. */
    CompletionStage<Response> delete(String name, boolean ifUnused) {
        return Absence.isDone(
                broker.deleteExchange(name, ifUnused).thenApply(done -> Response.noContent()), Response.noContent());
    }

    /** For administrators: it shows what others have. */
    CompletionStage<Response> list(Page page) {
        broker.requireAdministration("list exchanges");
        List<ExchangeSpec> exchanges = broker.topology().exchanges(page.after(), page.limit());
        List<Map<String, @Nullable Object>> items = new ArrayList<>(exchanges.size());
        String last = null;
        for (ExchangeSpec exchange : exchanges) {
            items.add(map(exchange));
            last = exchange.name();
        }
        return CompletableFuture.completedFuture(page.full(items, last));
    }

    private static ExchangeType type(String text) {
        for (ExchangeType type : ExchangeType.values()) {
            if (type.name().toLowerCase(Locale.ROOT).equals(text)) {
                return type;
            }
        }
        throw RequestException.bad("exchange type '" + text + "' (expected: direct, fanout, topic or headers)");
    }

    private Map<String, @Nullable Object> map(ExchangeSpec spec) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("name", spec.name());
        map.put("vhost", virtualHost);
        map.put("type", spec.type().name().toLowerCase(Locale.ROOT));
        map.put("durable", spec.durable());
        map.put("auto_delete", spec.autoDelete());
        map.put("internal", spec.internal());
        map.put("arguments", Arguments.toWire(spec.arguments()));
        return map;
    }
}
