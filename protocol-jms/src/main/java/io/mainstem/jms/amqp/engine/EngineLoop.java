package io.mainstem.jms.amqp.engine;

import jakarta.jms.JMSException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * The way to the event loop for all who change an engine: changes are done in their order as long as the connection is
 * there, and fail with the reason of its end afterwards. Thread: any; the changes run on the event loop.
 */
public final class EngineLoop {
    private final EnginePump pump;
    private final String gone;
    private @Nullable JMSException end;

    /** @param connection names the connection, for messages to people */
    public EngineLoop(EnginePump pump, String connection) {
        this.pump = pump;
        this.gone = "MS-0704 " + connection + " is gone; fix: create another one, or use failover:(...)";
    }

    /**
     * The connection is over; the first reason counts. Thread: the event loop.
     *
     * @return false if it was over before
     */
    public boolean end(JMSException reason) {
        boolean first = end == null;
        end = first ? reason : end;
        return first;
    }

    /** Runs a change of the engine, or fails what would have waited for it. */
    public void run(CompletableFuture<?> waiting, Runnable change) {
        failUnless(pump.run(() -> change(waiting, change)), waiting);
    }

    /** As {@link #run(CompletableFuture, Runnable)}, but with the next change that wakes the loop. */
    public void runLater(CompletableFuture<?> waiting, Runnable change) {
        failUnless(pump.runLater(() -> change(waiting, change)), waiting);
    }

    private void change(CompletableFuture<?> waiting, Runnable change) {
        if (end != null) {
            waiting.completeExceptionally(end);
            return;
        }
        try {
            change.run();
        } catch (RuntimeException e) {
            waiting.completeExceptionally(failed(e));
        }
    }

    private void failUnless(boolean taken, CompletableFuture<?> waiting) {
        if (!taken) {
            waiting.completeExceptionally(new JMSException(gone, "MS-0704"));
        }
    }

    private static JMSException failed(RuntimeException cause) {
        if (cause instanceof CompletionException && cause.getCause() instanceof JMSException named) {
            return named;
        }
        JMSException failure = new JMSException(
                "MS-0700 internal error of the provider: " + cause + "; fix: report it with the stack", "MS-0700");
        failure.initCause(cause);
        return failure;
    }

    /** A change that nothing waits for; done only while the connection is there. */
    public void run(Runnable change) {
        pump.run(() -> changeIfThere(change));
    }

    /** As {@link #run(Runnable)}, but with the next change that wakes the loop. */
    public void runLater(Runnable change) {
        pump.runLater(() -> changeIfThere(change));
    }

    private void changeIfThere(Runnable change) {
        if (end == null) {
            change.run();
        }
    }

    /** What {@link #runLater} has kept is done now. */
    public void flush() {
        pump.run(() -> {});
    }

    /** As {@link EnginePump#write}. Thread: the event loop. */
    public void write() {
        pump.write();
    }
}
