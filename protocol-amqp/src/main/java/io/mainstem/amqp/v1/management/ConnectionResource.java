package io.mainstem.amqp.v1.management;

import io.mainstem.routing.BrokerSession;
import io.mainstem.transport.Connections;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.qpid.proton.amqp.UnsignedLong;
import org.jspecify.annotations.Nullable;

/**
 * {@code /connections}: list, look, close; ours alone, over all virtual hosts, and for administrators. Thread: the
 * connection's event loop.
 */
final class ConnectionResource {
    private static final String REASON = "MS-0547 closed by an operator fix: connect again, or ask why";

    private final BrokerSession broker;
    private final Connections connections;

    ConnectionResource(BrokerSession broker, Connections connections) {
        this.broker = broker;
        this.connections = connections;
    }

    CompletionStage<Response> list(Page page) {
        broker.requireAdministration("list connections");
        long after = page.after().isEmpty() ? 0 : id(page.after());
        List<Map<String, @Nullable Object>> items = new ArrayList<>();
        String last = null;
        for (Connections.Info info : connections.list(after, page.limit())) {
            items.add(map(info));
            last = Long.toString(info.id());
        }
        return CompletableFuture.completedFuture(page.full(items, last));
    }

    CompletionStage<Response> show(String name) {
        broker.requireAdministration("list connections");
        Connections.Info info = connections.get(id(name));
        if (info == null) {
            throw noConnection(name);
        }
        return CompletableFuture.completedFuture(Response.ok(map(info)));
    }

    CompletionStage<Response> close(String name) {
        broker.requireAdministration("close connections");
        if (!connections.end(id(name), REASON)) {
            throw noConnection(name);
        }
        return CompletableFuture.completedFuture(Response.noContent());
    }

    private static long id(String name) {
        try {
            return Long.parseLong(name);
        } catch (NumberFormatException notANumber) {
            throw RequestException.bad("connection '" + name + "' (expected: a number, as the list shows it)");
        }
    }

    private static RequestException noConnection(String name) {
        return new RequestException(Response.NOT_FOUND, "MS-0541 no connection '" + name + "'");
    }

    private static Map<String, @Nullable Object> map(Connections.Info info) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("id", UnsignedLong.valueOf(info.id()));
        map.put("protocol", info.protocol());
        map.put("peer", info.peer());
        map.put("client_id", info.clientId());
        map.put("connection_name", info.name());
        map.put("user", info.user());
        map.put("vhost", info.virtualHost());
        map.put("opened", Date.from(Instant.ofEpochMilli(info.openedMs())));
        return map;
    }
}
