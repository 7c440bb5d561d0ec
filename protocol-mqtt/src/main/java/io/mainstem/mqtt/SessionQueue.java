package io.mainstem.mqtt;

import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.Outcome;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The one queue of a session [S-3] with its consumer, both made when they are needed first. Thread: the event loop. */
final class SessionQueue {
    private final BrokerSession broker;
    private final SessionStore store;
    private final ConnectedSession.Durables durables;
    private final Outbound outbound;
    private @Nullable CompletionStage<@Nullable Void> consuming;
    private boolean hasConsumer;

    SessionQueue(BrokerSession broker, ConnectedSession.Durables durables, Outbound outbound) {
        this.broker = broker;
        this.store = durables.store();
        this.durables = durables;
        this.outbound = outbound;
    }

    String name() {
        return store.queue();
    }

    boolean exists() {
        return broker.queue(name()) != null;
    }

    /** Takes effect with the next flush, as all here. */
    CompletionStage<?> made() {
        return exists()
                ? CompletableFuture.completedFuture(null)
                : store.declareQueue(durables.durable(), durables.policy());
    }

    /** What comes into it from now on is not dropped as if the client were away. */
    boolean hasConsumer() {
        return hasConsumer;
    }

    /** There, and deliveries come from it; begun once. */
    CompletionStage<@Nullable Void> consumed(DeliverySource.Sending sending) {
        CompletionStage<@Nullable Void> ready = consuming;
        if (ready == null) {
            DeliverySource source = outbound.source(sending);
            ConsumerSpec spec = new ConsumerSpec("session", false, false, false, 0, Outcome.RELEASED);
            ready = made().thenCompose(made -> {
                CompletionStage<@Nullable Void> attached = broker.consume(name(), spec, source)
                        .thenAccept(handle -> {
                            source.attached(handle);
                            hasConsumer = true;
                        });
                broker.flush();
                return attached;
            });
            consuming = ready;
            // What failed once may work at the next SUBSCRIBE.
            var unused = ready.exceptionally(failure -> {
                consuming = null;
                outbound.remove(source);
                return null;
            });
        }
        return ready;
    }
}
