package io.mainstem.jms.amqp;

import io.mainstem.jms.link.Subscription;
import jakarta.jms.JMSException;
import java.util.concurrent.CompletableFuture;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.apache.qpid.proton.engine.Receiver;
import org.jspecify.annotations.Nullable;

/**
 * Ends a durable subscription: a receiver of its name without a source finds it, and closing that is the end of it
 * (mapping 4.6). Thread: the event loop.
 */
final class SubscriptionEnd extends AmqpLink {
    private final Receiver engine;
    private final CompletableFuture<@Nullable Void> done;

    private SubscriptionEnd(
            EngineSession session, Receiver engine, String name, CompletableFuture<@Nullable Void> done) {
        super(session, engine, "ending subscription '" + name + "'");
        this.engine = engine;
        this.done = done;
    }

    static void begin(EngineSession session, Subscription subscription, CompletableFuture<@Nullable Void> done) {
        Receiver engine =
                session.receiver(subscription.global() ? subscription.name() + "|global" : subscription.name());
        Target target = new Target();
        target.setAddress(engine.getName());
        engine.setTarget(target);
        if (subscription.global()) {
            engine.setDesiredCapabilities(new Symbol[] {Termini.SHARED, Termini.GLOBAL});
        }
        new SubscriptionEnd(session, engine, subscription.name(), done);
        engine.open();
    }

    @Override
    boolean granted() {
        return engine.getRemoteSource() != null;
    }

    @Override
    void onAttached() {
        engine.close();
    }

    @Override
    void onEnd(JMSException reason, boolean wasAttached) {
        ErrorCondition error = engine.getRemoteCondition();
        boolean refused = !wasAttached || (error != null && error.getCondition() != null);
        if (refused) {
            done.completeExceptionally(reason);
        } else {
            done.complete(null);
        }
    }
}
