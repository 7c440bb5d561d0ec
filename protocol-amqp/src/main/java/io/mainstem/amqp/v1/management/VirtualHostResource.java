package io.mainstem.amqp.v1.management;

import io.mainstem.routing.Broker;
import io.mainstem.routing.BrokerSession;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** {@code /vhosts}: make, list; our extension, for administrators. Thread: the connection's event loop. */
final class VirtualHostResource {
    private final Broker broker;
    private final BrokerSession session;
    private final Executor eventLoop;

    VirtualHostResource(Broker broker, BrokerSession session, Executor eventLoop) {
        this.broker = broker;
        this.session = session;
        this.eventLoop = eventLoop;
    }

    /** One that is there already is fine. */
    CompletionStage<Response> make(String name) {
        session.requireAdministration("make virtual hosts");
        return broker.makeVirtualHost(name, eventLoop)
                .thenApply(made -> made ? Response.noContent() : Response.ok(map(name)));
    }

    CompletionStage<Response> list(Page page) {
        session.requireAdministration("list virtual hosts");
        List<Map<String, @Nullable Object>> items = new ArrayList<>();
        String last = null;
        for (String name : broker.virtualHosts()) {
            if (name.compareTo(page.after()) > 0 && items.size() < page.limit()) {
                items.add(map(name));
                last = name;
            }
        }
        return CompletableFuture.completedFuture(Page.response(items, last));
    }

    private static Map<String, @Nullable Object> map(String name) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("name", name);
        return map;
    }
}
