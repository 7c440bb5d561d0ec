package io.mainstem.jms.delivery;

import io.mainstem.jms.error.Answers;
import io.mainstem.jms.error.Errors;
import io.mainstem.jms.link.LinkDelivery;
import io.mainstem.jms.link.Outcome;
import io.mainstem.jms.link.TransactionId;
import jakarta.jms.JMSException;
import jakarta.jms.MessageListener;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The way from a session's consumers to the application: one message at a time to listeners, none while the session is
 * stopped. Thread: any; one lock guards it and the inboxes, and nothing that waits for the broker or calls the
 * application is done under it.
 */
public final class Deliveries {
    private final Executor threads;
    private final Consumer<InboxDelivery> dispatch;
    private final Consumer<Inbox> interrupted;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<Inbox> inboxes = new ArrayList<>();
    private @Nullable Thread dispatcher;
    /** Of who has set the last listener: what listeners load is found as there, whichever thread calls them. */
    private @Nullable ClassLoader contextLoader;

    /** {@link #dispatchAll} runs, or is about to. */
    private boolean scheduled;

    /** A consumer has or had a listener. */
    private boolean listening;

    private boolean started;
    private boolean paused;
    private boolean ended;
    private boolean dispatching;
    private int receiving;
    private long numbers;
    private @Nullable JMSException failure;

    /**
     * Deliveries of one session.
     *
     * @param threads call listeners, one at a time
     * @param dispatch gives a message to its listener, on one of these threads
     * @param interrupted told of a lost connection, on the transport's thread
     */
    public Deliveries(Executor threads, Consumer<InboxDelivery> dispatch, Consumer<Inbox> interrupted) {
        this.threads = threads;
        this.dispatch = dispatch;
        this.interrupted = interrupted;
    }

    /** Runs it under the lock; whoever waits looks again afterwards. */
    void locked(Runnable change) {
        lock.lock();
        try {
            change.run();
            changed.signalAll();
            schedule();
        } finally {
            lock.unlock();
        }
    }

    private void schedule() {
        if (!scheduled && listening && deliverable() && oldestWithListener() != null) {
            scheduled = true;
            threads.execute(this::dispatchAll);
        }
    }

    /** Runs it under the lock; nobody waits for what it changes. */
    void guarded(Runnable change) {
        lock.lock();
        try {
            change.run();
        } finally {
            lock.unlock();
        }
    }

    public void add(Inbox inbox) {
        locked(() -> {
            inboxes.add(inbox);
            refill(inbox);
        });
    }

    /** Copies, so that it can be walked without the lock. */
    public List<Inbox> inboxes() {
        lock.lock();
        try {
            return List.copyOf(inboxes);
        } finally {
            lock.unlock();
        }
    }

    /** Thread: the transport's. */
    void arrived(Inbox inbox, LinkDelivery delivery) {
        locked(() -> inbox.add(delivery, numbers++));
    }

    /** The broker has ended this consumer's link. */
    void failed(Inbox inbox, JMSException reason) {
        locked(() -> inbox.failed(reason));
    }

    /** What waits will come again, to whoever the broker chooses: nobody shall work on it twice. */
    void interrupted(Inbox inbox) {
        locked(inbox::clear);
        interrupted.accept(inbox);
    }

    void reattached(Inbox inbox) {
        locked(() -> {
            inbox.clear();
            refill(inbox);
        });
    }

    /** The connection is gone for good: nothing is delivered any more. */
    public void failed(JMSException reason) {
        locked(() -> failure = reason);
    }

    public boolean started() {
        lock.lock();
        try {
            return deliverable();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Whether a message waits that is likely to be worked on next: for a listener, or for a receive call of this consumer.
     * For another consumer's nobody may ever call.
     */
    boolean anyWaiting(Inbox own) {
        lock.lock();
        try {
            return deliverable()
                    && inboxes.stream()
                            .filter(inbox -> inbox == own || inbox.listener() != null)
                            .anyMatch(inbox -> !inbox.closed() && inbox.peek() != null);
        } finally {
            lock.unlock();
        }
    }

    private boolean deliverable() {
        return started && !paused && !ended && failure == null;
    }

    private void refill(Inbox inbox) {
        // A consumer on a connection that was never started must not hold what others could work on.
        if (deliverable()) {
            inbox.refill();
        }
    }

    public void start() {
        locked(() -> {
            started = true;
            inboxes.forEach(this::refill);
        });
    }

    /** Returns when no listener and no receive call has a message in hand, except this thread's own. */
    public void stop() {
        lock.lock();
        try {
            started = false;
            changed.signalAll();
            awaitQuiet();
        } finally {
            lock.unlock();
        }
    }

    private void awaitQuiet() {
        while ((dispatching && !isDispatcher()) || receiving > 0) {
            changed.awaitUninterruptibly();
        }
    }

    public boolean isDispatcher() {
        return Thread.currentThread() == dispatcher;
    }

    /** Nothing is delivered until {@link #resume}; returns when nothing is in hand. */
    public void pause() {
        lock.lock();
        try {
            paused = true;
            changed.signalAll();
            awaitQuiet();
        } finally {
            lock.unlock();
        }
    }

    public void resume() {
        locked(() -> {
            paused = false;
            inboxes.forEach(this::refill);
        });
    }

    /**
     * Takes the credit of these consumers back, and then all that waits for them: in the broker's eyes they never got it.
     *
     * @param timeoutMs how long to wait for the broker
     * @throws JMSException if it does not answer
     */
    public void withdraw(List<Inbox> from, long timeoutMs) throws JMSException {
        List<CompletableFuture<@Nullable Void>> drains = from.stream()
                .filter(inbox -> inbox.failure() == null)
                .map(inbox -> inbox.link().drain().toCompletableFuture())
                .toList();
        CompletionStage<@Nullable Void> all = CompletableFuture.allOf(drains.toArray(CompletableFuture[]::new));
        Answers.await(all.exceptionally(detached -> null), timeoutMs, "taking back what was prefetched");
        locked(() -> {
            for (Inbox inbox : from) {
                inbox.creditGone();
                inbox.takeAll().forEach(arrived -> inbox.settle(arrived, Outcome.RELEASED, null));
            }
        });
    }

    /** Sees to it that all the broker has for this consumer within its credit is here. */
    public void drain(Inbox inbox, long timeoutMs) throws JMSException {
        Answers.await(inbox.link().drain(), timeoutMs, "asking whether there is a message");
        locked(inbox::creditGone);
    }

    void settle(InboxDelivery arrived, Outcome outcome, @Nullable TransactionId transaction) {
        locked(() -> arrived.inbox().settle(arrived, outcome, transaction));
    }

    /** Closes the consumer's link, at once or when its last message is settled. */
    public void closeLink(Inbox inbox, long timeoutMs) throws JMSException {
        List<CompletionStage<@Nullable Void>> closing = new ArrayList<>();
        locked(() -> {
            inboxes.remove(inbox);
            closing.add(inbox.closeLinkWhenSettled());
        });
        for (CompletionStage<@Nullable Void> closed : closing) {
            Answers.await(closed, timeoutMs, "closing a consumer");
        }
    }

    /** Sets or removes a listener; from now on its messages go there. */
    public void listener(Inbox inbox, @Nullable MessageListener listener) {
        locked(() -> {
            inbox.listener(listener);
            refill(inbox);
            if (listener != null) {
                listening = true;
                contextLoader = Thread.currentThread().getContextClassLoader();
            }
        });
    }

    /** All that listeners can get now, on the calling thread. */
    private void dispatchAll() {
        InboxDelivery next = nextForListener();
        while (next != null) {
            try {
                dispatch.accept(next);
            } finally {
                InboxDelivery done = next;
                locked(() -> {
                    dispatching = false;
                    done.inbox().back();
                    refill(done.inbox());
                });
            }
            next = nextForListener();
        }
    }

    /** The oldest message of all consumers with a listener; null: the next one is for another {@link #dispatchAll}. */
    private @Nullable InboxDelivery nextForListener() {
        lock.lock();
        try {
            Inbox oldest = deliverable() ? oldestWithListener() : null;
            InboxDelivery next = oldest == null ? null : oldest.poll();
            scheduled = next != null;
            if (next == null) {
                dispatcher = null;
                return null;
            }
            Thread current = Thread.currentThread();
            if (dispatcher != current) {
                dispatcher = current;
                current.setContextClassLoader(contextLoader);
            }
            dispatching = true;
            next.inbox().out();
            return next;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The next of these messages as soon as the session delivers any; this thread is the session's until {@link
     * #loadedDone}.
     *
     * @param loaded is guarded by the lock
     * @return null if there is none left, or the session is closed
     */
    @Nullable
    InboxDelivery nextLoaded(Deque<InboxDelivery> loaded) {
        lock.lock();
        try {
            while (!ended && !loaded.isEmpty()) {
                if (deliverable()) {
                    dispatching = true;
                    dispatcher = Thread.currentThread();
                    return loaded.poll();
                }
                changed.awaitUninterruptibly();
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    void loadedDone() {
        locked(() -> {
            dispatching = false;
            dispatcher = null;
        });
    }

    /** Waits for a while, but no longer than messages are delivered to this consumer: its close waits for who rests. */
    public void rest(Inbox inbox, long ms) {
        lock.lock();
        try {
            long nanos = TimeUnit.MILLISECONDS.toNanos(ms);
            while (deliverable() && !inbox.closed() && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Inbox oldestWithListener() {
        Inbox oldest = null;
        long number = Long.MAX_VALUE;
        for (Inbox inbox : inboxes) {
            InboxDelivery first = inbox.listener() == null || inbox.closed() ? null : inbox.peek();
            if (first != null && first.number() < number) {
                number = first.number();
                oldest = inbox;
            }
        }
        return oldest;
    }

    /**
     * Waits for a message; {@link #received} must follow if there is one.
     *
     * @param deadlineNanos by {@code System.nanoTime}; null: without end
     * @return null when the time is over or the consumer is closed
     * @throws JMSException the connection or the consumer's link is lost, or the thread was interrupted
     */
    public @Nullable InboxDelivery receive(Inbox inbox, @Nullable Long deadlineNanos) throws JMSException {
        lock.lock();
        try {
            inbox.pull(1);
            refill(inbox);
            while (!inbox.closed() && !ended) {
                InboxDelivery next = deliverable() ? inbox.poll() : null;
                if (next != null) {
                    receiving++;
                    inbox.out();
                    return next;
                }
                JMSException reason = failure == null ? inbox.failure() : failure;
                if (reason != null) {
                    throw Errors.asJms(reason);
                }
                long left = deadlineNanos == null ? Long.MAX_VALUE : deadlineNanos - System.nanoTime();
                if (left <= 0) {
                    return null;
                }
                var unused = changed.awaitNanos(left);
            }
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JMSException(
                    "MS-0705 the thread was interrupted: receive; fix: close from another thread instead", "MS-0705");
        } finally {
            inbox.pull(-1);
            lock.unlock();
        }
    }

    /** The application has the message, or it was put aside. */
    public void received(InboxDelivery arrived) {
        locked(() -> {
            receiving--;
            arrived.inbox().back();
            refill(arrived.inbox());
        });
    }

    /** What was received is the next one again, as if it had not been; {@link #received} follows. */
    public void putBack(InboxDelivery arrived) {
        locked(() -> arrived.inbox().unpoll(arrived));
    }

    /** Closes all consumers; nobody waits here for what the application has. */
    public List<Inbox> closeAll() {
        List<Inbox> all = inboxes();
        locked(() -> all.forEach(Inbox::close));
        return all;
    }

    /**
     * Closes a consumer: a receive call gets null, and this returns when a message in hand has been dealt with, unless
     * this thread is the one that has it.
     */
    public void close(Inbox inbox, long timeoutMs) {
        lock.lock();
        try {
            inbox.close();
            changed.signalAll();
            long nanos = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
            while (inbox.busy() && !isDispatcher() && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    /** Ends all waiting; the dispatcher ends when its listener returns. */
    public void end() {
        locked(() -> ended = true);
    }
}
