package io.mainstem.routing;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A consumer as its head sees it: {@link #close()} applies the spec's {@code onLoss}. Thread: the session's event loop.
 * Calls take effect with {@link BrokerSession#flush}.
 */
public interface ConsumerHandle extends DeliverySource {
    /**
     * Accepts one delivery and keeps records of the head in the same group: after a crash both count or none. Completes
     * when that is on disk.
     */
    CompletionStage<@Nullable Void> accept(long deliveryId, List<HeadRecord> records);
}
