package io.mainstem.store.segment;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * A thread that does steps while there is something to do and parks when there is not. Parking costs a wake-up (tens of
 * microseconds), so wakers only unpark a thread that has said it sleeps, and only one of many does.
 */
final class LogWorker implements Runnable {
    /** Returned by {@link Steps#step}: nothing to do until woken. */
    static final long UNTIL_WOKEN = Long.MAX_VALUE;

    private final Steps steps;
    private final Consumer<Throwable> died;
    private final Thread thread;
    private final AtomicBoolean parked = new AtomicBoolean();
    private volatile boolean stopped;

    /** @param died told if a step throws, which is a bug; the thread then ends */
    LogWorker(String name, Steps steps, Consumer<Throwable> died) {
        this.steps = steps;
        this.died = died;
        this.thread = new Thread(this, name);
        this.thread.setDaemon(true);
    }

    /** One piece of work. Thread: the worker's, or a test's in its place. */
    @FunctionalInterface
    interface Steps {
        /** Returns 0 if something was done, else the nanoseconds after which to look again, or UNTIL_WOKEN. */
        long step();
    }

    void start() {
        thread.start();
    }

    /** Cheap if the thread is at work. */
    void wake() {
        if (parked.get() && parked.compareAndSet(true, false)) {
            LockSupport.unpark(thread);
        }
    }

    /** Lets the present step end and the thread with it; returns when it has. */
    void stop() {
        stopped = true;
        LockSupport.unpark(thread);
        boolean interrupted = false;
        while (thread.isAlive() && Thread.currentThread() != thread) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void run() {
        try {
            work();
        } catch (RuntimeException | Error e) {
            died.accept(e);
        }
    }

    private void work() {
        while (!stopped) {
            if (steps.step() == 0) {
                continue;
            }
            // Work that arrives between the last look and the flag is seen by this second look.
            parked.set(true);
            long nanos = steps.step();
            if (nanos > 0 && !stopped && parked.get()) {
                if (nanos == UNTIL_WOKEN) {
                    LockSupport.park(this);
                } else {
                    LockSupport.parkNanos(this, nanos);
                }
            }
            parked.set(false);
        }
    }
}
