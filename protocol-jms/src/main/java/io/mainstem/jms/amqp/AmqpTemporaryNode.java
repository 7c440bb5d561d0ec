package io.mainstem.jms.amqp;

import io.mainstem.jms.destination.DestinationKind;
import io.mainstem.jms.link.TemporaryNode;
import jakarta.jms.JMSException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.engine.Sender;
import org.jspecify.annotations.Nullable;

/** A dynamic target: the node lives as long as this link (mapping 4.10). Thread: as its interface. */
final class AmqpTemporaryNode extends AmqpLink implements TemporaryNode {
    private final Sender engine;
    private final CompletableFuture<TemporaryNode> created;
    private volatile String address = "";

    private AmqpTemporaryNode(EngineSession session, Sender engine, CompletableFuture<TemporaryNode> created) {
        super(session, engine, "creating a temporary destination");
        this.engine = engine;
        this.created = created;
    }

    static void create(
            EngineSession session, Target target, DestinationKind kind, CompletableFuture<TemporaryNode> created) {
        Sender engine = session.sender(kind.capability());
        Source source = new Source();
        source.setAddress(engine.getName());
        engine.setSource(source);
        engine.setTarget(target);
        new AmqpTemporaryNode(session, engine, created);
        engine.open();
    }

    @Override
    boolean granted() {
        return engine.getRemoteTarget() != null && engine.getRemoteTarget().getAddress() != null;
    }

    @Override
    void onAttached() {
        address = engine.getRemoteTarget().getAddress();
        created.complete(this);
    }

    @Override
    void onEnd(JMSException reason, boolean wasAttached) {
        created.completeExceptionally(reason);
    }

    @Override
    public String address() {
        return address;
    }

    @Override
    public CompletionStage<@Nullable Void> delete() {
        return end(true);
    }
}
