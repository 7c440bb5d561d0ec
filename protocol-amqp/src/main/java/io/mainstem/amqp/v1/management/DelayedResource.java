package io.mainstem.amqp.v1.management;

import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.DelayedMessage;
import io.mainstem.routing.DelayedPage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.apache.qpid.proton.amqp.UnsignedLong;
import org.jspecify.annotations.Nullable;

/**
 * {@code /delayed}: messages that wait for their time, listed and cancelled; our extension. Administrators see all, others
 * those they have published under their name. Thread: the connection's event loop.
 */
final class DelayedResource {
    private final BrokerSession broker;

    DelayedResource(BrokerSession broker) {
        this.broker = broker;
    }

    CompletionStage<Response> list(Page page) {
        return broker.delayedMessages(page.after(), page.limit()).thenApply(DelayedResource::response);
    }

    /** Cancelling what does not wait has not worked: it may have been delivered. */
    CompletionStage<Response> cancel(String id) {
        return broker.cancelDelayed(id).thenApply(done -> Response.noContent());
    }

    private static Response response(DelayedPage page) {
        List<Map<String, @Nullable Object>> items =
                new ArrayList<>(page.messages().size());
        for (DelayedMessage message : page.messages()) {
            Map<String, @Nullable Object> map = new LinkedHashMap<>();
            map.put("id", message.id());
            map.put("deliver_at", message.deliverAtMs());
            map.put("exchange", message.exchange());
            map.put("routing_key", message.routingKey());
            map.put("message_id", message.messageId());
            map.put("user", message.user());
            map.put("bytes", UnsignedLong.valueOf(message.bytes()));
            items.add(map);
        }
        return Page.response(items, page.next());
    }
}
