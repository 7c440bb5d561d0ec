package io.mainstem.jms.amqp;

import jakarta.jms.JMSException;
import java.util.concurrent.CompletableFuture;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.apache.qpid.proton.engine.Link;
import org.jspecify.annotations.Nullable;

/**
 * What senders and receivers have in common: attach, refusal, detach. A refused attach is answered with an attach that
 * has no terminus, and then the detach that says why (part 2, 2.6.3). Thread: the event loop.
 */
abstract class AmqpLink implements EndpointEvents {
    private final EngineSession session;
    private final Link engine;
    private final String doing;
    private final CompletableFuture<@Nullable Void> closed = new CompletableFuture<>();
    private @Nullable JMSException end;
    private boolean attached;
    private boolean closing;

    /** @param doing what a refusal says the client was about */
    AmqpLink(EngineSession session, Link engine, String doing) {
        this.session = session;
        this.engine = engine;
        this.doing = doing;
        engine.setContext(this);
        session.add(this);
    }

    final EngineSession session() {
        return session;
    }

    /** Null while the link is there. */
    final @Nullable JMSException end() {
        return end;
    }

    /** Whether the peer's answer grants what was asked for. */
    abstract boolean granted();

    /** The link is open. */
    abstract void onAttached();

    /** The link is over, or never was: fails all that waits. */
    abstract void onEnd(JMSException reason, boolean wasAttached);

    JMSException refusal(@Nullable ErrorCondition error) {
        return Refusals.of(doing, error);
    }

    @Override
    public final void remoteOpened() {
        if (granted()) {
            attached = true;
            onAttached();
        }
    }

    @Override
    public final void remoteClosed(@Nullable ErrorCondition error) {
        engine.close();
        engine.free();
        lost(closing && error == null ? Refusals.ofEnd(doing, true, null) : refusal(error));
    }

    /** Nothing comes any more; the first reason counts. */
    final void lost(JMSException reason) {
        if (end == null) {
            end = reason;
            session.forget(this);
            onEnd(reason, attached);
            closed.complete(null);
        }
    }

    /** @param forGood false detaches and leaves the terminus behind */
    final CompletableFuture<@Nullable Void> end(boolean forGood) {
        CompletableFuture<@Nullable Void> asked = new CompletableFuture<>();
        session.run(asked, () -> {
            closing = true;
            if (end == null && forGood) {
                engine.close();
            } else if (end == null) {
                engine.detach();
            }
        });
        var unused = asked.whenComplete((done, failure) -> {
            if (failure != null) {
                closed.complete(null);
            }
        });
        return closed;
    }
}
