package io.mainstem.jms.session;

import io.mainstem.jms.connection.SerialThread;
import io.mainstem.jms.error.Errors;
import jakarta.jms.CompletionListener;
import jakarta.jms.Message;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Tells completion listeners how asynchronous sends ended: in the order of the sends of each producer, one at a time in
 * the session, never on a thread that sends (Jakarta Messaging 7.3). Thread: any.
 */
final class Completions {
    private final SerialThread thread;
    private int open;

    Completions(String threadName) {
        thread = new SerialThread(threadName);
    }

    /** The sends of one producer. Thread: any. */
    final class OfProducer {
        private final Deque<Pending> pending = new ArrayDeque<>();

        void add(Message message, CompletionListener listener, CompletionStage<@Nullable Void> outcome) {
            Pending added = new Pending(message, listener);
            synchronized (Completions.this) {
                pending.add(added);
                open++;
            }
            var unused = outcome.whenComplete((done, failure) -> {
                synchronized (Completions.this) {
                    added.failure = failure;
                    added.done = true;
                    tellDone();
                }
            });
        }

        private void tellDone() {
            Pending first = pending.peek();
            while (first != null && first.done) {
                Pending told = pending.remove();
                thread.execute(() -> tell(told));
                first = pending.peek();
            }
        }
    }

    private static final class Pending {
        private final Message message;
        private final CompletionListener listener;
        private boolean done;
        private @Nullable Throwable failure;

        Pending(Message message, CompletionListener listener) {
            this.message = message;
            this.listener = listener;
        }
    }

    private void tell(Pending pending) {
        try {
            Throwable failure = pending.failure;
            if (failure == null) {
                pending.listener.onCompletion(pending.message);
            } else {
                pending.listener.onException(pending.message, Errors.asJms(failure));
            }
        } finally {
            synchronized (this) {
                open--;
                notifyAll();
            }
        }
    }

    OfProducer ofProducer() {
        return new OfProducer();
    }

    /** True within a callback. */
    boolean isCallback() {
        return thread.isCurrent();
    }

    /** Waits until all sends so far have ended and their listeners have returned. */
    synchronized void await(long timeoutMs) {
        long deadline = System.nanoTime() + timeoutMs * 1_000_000;
        while (open > 0 && !thread.isCurrent()) {
            long left = (deadline - System.nanoTime()) / 1_000_000;
            if (left <= 0) {
                return;
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    void end() {
        thread.end();
    }
}
