package io.mainstem.jms.amqp;

import io.mainstem.jms.destination.MainstemDestination;
import io.mainstem.jms.link.Coordinator;
import io.mainstem.jms.link.DeliveryListener;
import io.mainstem.jms.link.LinkSession;
import io.mainstem.jms.link.ReceiverLink;
import io.mainstem.jms.link.ReceiverRequest;
import io.mainstem.jms.link.SenderLink;
import jakarta.jms.JMSException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.apache.qpid.proton.engine.Session;
import org.jspecify.annotations.Nullable;

/** A session of the engine. Thread: the event loop, except the methods of {@link LinkSession}. */
final class AmqpLinkSession implements LinkSession, EndpointEvents {
    private final AmqpConnection connection;
    private final CompletableFuture<@Nullable Void> opened = new CompletableFuture<>();
    private final CompletableFuture<@Nullable Void> closed = new CompletableFuture<>();
    private final Set<AmqpLink> links = new HashSet<>();
    private final AmqpCoordinator coordinator = new AmqpCoordinator(this);
    private @Nullable Session engine;
    private @Nullable JMSException end;
    private boolean closing;

    AmqpLinkSession(AmqpConnection connection) {
        this.connection = connection;
    }

    CompletableFuture<@Nullable Void> opened() {
        return opened;
    }

    AmqpConnection connection() {
        return connection;
    }

    void begin(Session session) {
        engine = session;
        session.setContext(this);
        session.open();
    }

    Session engine() {
        Session begun = engine;
        if (begun == null || end != null) {
            throw new IllegalStateException("session is not open");
        }
        return begun;
    }

    /** As {@link AmqpConnection#run(CompletableFuture, Runnable)}; fails if this session has ended. */
    void run(CompletableFuture<?> waiting, Runnable change) {
        connection.run(waiting, () -> {
            if (end != null) {
                waiting.completeExceptionally(end);
            } else {
                change.run();
            }
        });
    }

    void run(Runnable change) {
        connection.run(() -> {
            if (end == null) {
                change.run();
            }
        });
    }

    /** As {@link #run(CompletableFuture, Runnable)}, but with the next change that wakes the loop. */
    void runLater(CompletableFuture<?> waiting, Runnable change) {
        connection.runLater(waiting, () -> {
            if (end != null) {
                waiting.completeExceptionally(end);
            } else {
                change.run();
            }
        });
    }

    void runLater(Runnable change) {
        connection.runLater(() -> {
            if (end == null) {
                change.run();
            }
        });
    }

    void add(AmqpLink link) {
        links.add(link);
    }

    void forget(AmqpLink link) {
        links.remove(link);
    }

    @Override
    public CompletionStage<SenderLink> attachSender(@Nullable MainstemDestination target) {
        CompletableFuture<SenderLink> attached = new CompletableFuture<>();
        run(attached, () -> AmqpSender.attach(this, target, attached));
        return attached;
    }

    @Override
    public CompletionStage<ReceiverLink> attachReceiver(ReceiverRequest request, DeliveryListener listener) {
        CompletableFuture<ReceiverLink> attached = new CompletableFuture<>();
        run(attached, () -> AmqpReceiver.attach(this, request, listener, attached));
        return attached;
    }

    @Override
    public Coordinator coordinator() {
        return coordinator;
    }

    @Override
    public CompletionStage<@Nullable Void> close() {
        CompletableFuture<@Nullable Void> unused = new CompletableFuture<>();
        connection.run(unused, () -> {
            if (end == null) {
                closing = true;
                engine().close();
            }
        });
        var unusedStage = unused.whenComplete((done, failure) -> {
            if (failure != null) {
                closed.complete(null);
            }
        });
        return closed;
    }

    @Override
    public void remoteOpened() {
        opened.complete(null);
    }

    @Override
    public void remoteClosed(@Nullable ErrorCondition error) {
        Session ended = engine;
        if (ended != null) {
            ended.close();
            ended.free();
        }
        lost(Refusals.ofEnd("session", closing, error));
    }

    /** Nothing comes any more. */
    void lost(JMSException reason) {
        if (end != null) {
            return;
        }
        end = reason;
        connection.forget(this);
        opened.completeExceptionally(reason);
        for (AmqpLink link : List.copyOf(links)) {
            link.lost(reason);
        }
        closed.complete(null);
    }
}
