package io.mainstem.amqp.v1.management;

import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.QueueInfo;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.QueueStatus;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.UnsignedLong;
import org.jspecify.annotations.Nullable;

/** {@code /queues}: declare, look, delete, purge, list. Thread: the connection's event loop. */
final class QueueResource {
    private static final Set<String> FIELDS = Set.of("durable", "exclusive", "auto_delete", "arguments");
    private static final String TYPE = "x-queue-type";

    private final BrokerSession broker;
    private final String virtualHost;
    private final String node;
    private final Runnable flushSoon;

    QueueResource(BrokerSession broker, String virtualHost, String node, Runnable flushSoon) {
        this.broker = broker;
        this.virtualHost = virtualHost;
        this.node = node;
        this.flushSoon = flushSoon;
    }

    CompletionStage<Response> declare(String name, @Nullable Object body) {
        Fields fields = Fields.of(body, FIELDS);
        QueueSpec spec = new QueueSpec(
                name,
                fields.flag("durable", true),
                fields.flag("auto_delete", false),
                fields.flag("exclusive", false),
                false,
                fields.arguments(false));
        return broker.declareQueue(spec)
                .thenCompose(declared -> one(name)
                        .thenApply(status ->
                                new Response(declared.created() ? Response.CREATED : Response.OK, map(status))));
    }

    CompletionStage<Response> show(String name) {
        return one(name).thenApply(status -> Response.ok(map(status)));
    }

    /** Deleting what is not there has worked. */
    CompletionStage<Response> delete(String name, boolean ifUnused, boolean ifEmpty) {
        return Absence.isDone(
                broker.deleteQueue(name, ifUnused, ifEmpty).thenApply(QueueResource::messageCount), messageCount(0L));
    }

    CompletionStage<Response> purge(String name) {
        return broker.purgeQueue(name).thenApply(QueueResource::messageCount);
    }

    /** For administrators: it shows what others have. */
    CompletionStage<Response> list(Page page) {
        broker.requireAdministration("list queues");
        List<QueueInfo> queues = broker.topology().queues(page.after(), page.limit());
        List<String> names = new ArrayList<>(queues.size());
        for (QueueInfo queue : queues) {
            names.add(queue.spec().name());
        }
        String last = names.isEmpty() ? null : names.get(names.size() - 1);
        return broker.status(names).thenApply(statuses -> {
            List<Map<String, @Nullable Object>> items = new ArrayList<>(statuses.size());
            for (QueueStatus status : statuses) {
                items.add(map(status));
            }
            return Page.response(items, names.size() < page.limit() ? null : last);
        });
    }

    private CompletionStage<QueueStatus> one(String name) {
        CompletionStage<List<QueueStatus>> status = broker.status(List.of(name));
        flushSoon.run();
        return status.thenApply(found -> {
            if (found.isEmpty()) {
                throw new RequestException(
                        Response.NOT_FOUND, "MS-0541 no queue '" + name + "' in vhost '" + virtualHost + "'");
            }
            return found.get(0);
        });
    }

    /** The queue map of mapping 5.3, and what we know beyond it. */
    private Map<String, @Nullable Object> map(QueueStatus status) {
        QueueSpec spec = status.queue().spec();
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("name", spec.name());
        map.put("vhost", virtualHost);
        map.put("durable", spec.durable());
        map.put("auto_delete", spec.autoDelete());
        map.put("exclusive", spec.exclusive());
        map.put("type", spec.arguments().get(TYPE) instanceof String type ? type : "classic");
        map.put("leader", node);
        map.put("replicas", new String[] {node});
        map.put("arguments", Arguments.toWire(spec.arguments()));
        if (status.policy() != null) {
            map.put("policy", status.policy());
            map.put("effective_arguments", Arguments.toWire(status.arguments()));
        }
        map.put("message_count", UnsignedLong.valueOf(status.ready()));
        map.put("consumer_count", UnsignedInteger.valueOf(status.consumers()));
        map.put("unacknowledged_count", UnsignedLong.valueOf(status.unacknowledged()));
        map.put("memory", UnsignedLong.valueOf(status.memoryBytes()));
        return map;
    }

    private static Response messageCount(Long messages) {
        return Response.ok(Map.of("message_count", UnsignedLong.valueOf(messages)));
    }
}
