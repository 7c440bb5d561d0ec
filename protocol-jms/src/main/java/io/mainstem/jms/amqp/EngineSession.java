package io.mainstem.jms.amqp;

import io.mainstem.jms.amqp.engine.EngineLoop;
import jakarta.jms.JMSException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.apache.qpid.proton.engine.Receiver;
import org.apache.qpid.proton.engine.Sender;
import org.apache.qpid.proton.engine.Session;
import org.jspecify.annotations.Nullable;

/**
 * A session of the engine as its links know it: where they are made, and what ends them all. Thread: the event loop, except
 * the methods that run changes or {@link #flush}.
 */
final class EngineSession implements EndpointEvents {
    private final EngineLoop loop;
    private final LinkNames names;
    private final Consumer<EngineSession> ended;
    private final CompletableFuture<@Nullable Void> opened = new CompletableFuture<>();
    private final CompletableFuture<@Nullable Void> closed = new CompletableFuture<>();
    private final Set<AmqpLink> links = new HashSet<>();
    private @Nullable Session engine;
    private @Nullable JMSException end;
    private boolean closing;

    /**
     * @param names of all links of the connection
     * @param ended told once, when it is over
     */
    EngineSession(EngineLoop loop, LinkNames names, Consumer<EngineSession> ended) {
        this.loop = loop;
        this.names = names;
        this.ended = ended;
    }

    CompletableFuture<@Nullable Void> opened() {
        return opened;
    }

    void begin(Session session) {
        engine = session;
        session.setContext(this);
        session.open();
    }

    private Session engine() {
        Session begun = engine;
        if (begun == null || end != null) {
            throw new IllegalStateException("session is not open");
        }
        return begun;
    }

    /** A sender with a name that no other link has. */
    Sender sender(String role) {
        return engine().sender(names.next(role));
    }

    Receiver receiver(String name) {
        return engine().receiver(name);
    }

    LinkNames names() {
        return names;
    }

    /** As {@link EngineLoop#run(CompletableFuture, Runnable)}; fails, too, if this session has ended. */
    void run(CompletableFuture<?> waiting, Runnable change) {
        loop.run(waiting, () -> change(waiting, change));
    }

    /** As {@link #run(CompletableFuture, Runnable)}, but with the next change that wakes the loop. */
    void runLater(CompletableFuture<?> waiting, Runnable change) {
        loop.runLater(waiting, () -> change(waiting, change));
    }

    private void change(CompletableFuture<?> waiting, Runnable change) {
        if (end != null) {
            waiting.completeExceptionally(end);
        } else {
            change.run();
        }
    }

    void run(Runnable change) {
        loop.run(() -> changeIfThere(change));
    }

    void runLater(Runnable change) {
        loop.runLater(() -> changeIfThere(change));
    }

    private void changeIfThere(Runnable change) {
        if (end == null) {
            change.run();
        }
    }

    /** As {@link EngineLoop#flush}. */
    void flush() {
        loop.flush();
    }

    /** As {@link EngineLoop#write}. */
    void write() {
        loop.write();
    }

    void add(AmqpLink link) {
        links.add(link);
    }

    void forget(AmqpLink link) {
        links.remove(link);
    }

    CompletableFuture<@Nullable Void> close() {
        CompletableFuture<@Nullable Void> asked = new CompletableFuture<>();
        run(asked, () -> {
            closing = true;
            engine().close();
        });
        var unused = asked.whenComplete((done, failure) -> {
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
        Session over = engine;
        if (over != null) {
            over.close();
            over.free();
        }
        lost(Refusals.ofEnd("session", closing, error));
    }

    /** Nothing comes any more. */
    void lost(JMSException reason) {
        if (end != null) {
            return;
        }
        end = reason;
        ended.accept(this);
        opened.completeExceptionally(reason);
        for (AmqpLink link : List.copyOf(links)) {
            link.lost(reason);
        }
        closed.complete(null);
    }
}
