package io.mainstem.jms.connection;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads on which the sessions of a connection call their listeners. One thread works on sessions that have messages
 * at the same time, one session after the other, so that they cost one wake-up together. As a listener may block, a
 * second one watches: who has waited for a millisecond gets another thread, up to one for each session. Threads end when
 * unused for {@value #UNUSED_MS} ms. Thread: any.
 */
final class SessionThreads {
    private static final Logger LOG = LoggerFactory.getLogger(SessionThreads.class);
    private static final long LATE_MS = 1;
    private static final long UNUSED_MS = 10_000;

    private final String name;
    private final long lateMs;
    private final AtomicInteger numbers = new AtomicInteger();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition called = lock.newCondition();
    private final Condition watching = lock.newCondition();
    private final Queue<Runnable> ready = new ArrayDeque<>();
    /** In a session. */
    private int busy;
    /** Not in a session and not the one that watches, started or waiting. */
    private int idle;
    /** So many of the idle ones have been woken to take a session. */
    private int calls;
    /** One of them has been woken to watch. */
    private boolean watchDue;
    /** A thread watches, or has been woken for that. */
    private boolean watched;
    /** Sessions taken by a thread so far. */
    private long taken;

    private boolean ended;

    SessionThreads(String name) {
        this(name, LATE_MS);
    }

    /** @param lateMs how long a session waits for those before it */
    SessionThreads(String name, long lateMs) {
        this.name = name;
        this.lateMs = lateMs;
    }

    /** Works on a session soon; does nothing after the end. Whoever calls sees to it that a session is here only once. */
    void execute(Runnable session) {
        lock.lock();
        try {
            if (ended) {
                return;
            }
            ready.add(session);
            if (busy + calls == 0) {
                call();
            } else {
                watch();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Wakes a thread to take a session. */
    private void call() {
        calls++;
        wake();
    }

    /** Wakes a thread to watch, unless one does. */
    private void watch() {
        if (!watched) {
            watched = true;
            watchDue = true;
            wake();
        }
    }

    private void wake() {
        if (idle >= calls + (watchDue ? 1 : 0)) {
            called.signal();
            return;
        }
        idle++;
        Thread thread = new Thread(this::run, name + '-' + numbers.incrementAndGet());
        thread.setDaemon(true);
        try {
            thread.start();
        } catch (Throwable e) {
            idle--; // The system allows no more threads; the next who comes tries again.
            throw e;
        }
    }

    private void run() {
        Runnable session = awaited();
        while (session != null) {
            try {
                session.run();
            } catch (Throwable e) { // An Error, too: other sessions count on this thread.
                LOG.warn("MS-0715 a callback of the application failed thread={}", name, e);
            }
            var unused = Thread.interrupted(); // Left behind by a listener; the next one is another session's.
            session = next();
        }
    }

    /** After a session: what waits, at once. */
    private @Nullable Runnable next() {
        lock.lock();
        try {
            busy--;
            Runnable session = take();
            if (session != null) {
                return session;
            }
            idle++;
        } finally {
            lock.unlock();
        }
        return awaited();
    }

    private @Nullable Runnable take() {
        Runnable session = ready.poll();
        if (session != null) {
            busy++;
            taken++;
        }
        return session;
    }

    /** As an idle thread. */
    private @Nullable Runnable awaited() {
        lock.lock();
        try {
            boolean unused = false;
            while (calls > 0 || watchDue || !(ended || unused)) {
                if (calls > 0) {
                    calls--;
                } else if (watchDue) {
                    watchDue = false;
                    idle--;
                    awaitLate();
                    idle++;
                } else {
                    try {
                        unused = !called.await(UNUSED_MS, TimeUnit.MILLISECONDS);
                    } catch (InterruptedException e) {
                        unused = false; // Nobody means to end this thread; left behind by a listener.
                    }
                    continue;
                }
                Runnable session = take();
                if (session != null) {
                    idle--;
                    return session;
                }
            }
            idle--;
            return null;
        } finally {
            lock.unlock();
        }
    }

    /** Returns when a session is late, or none waits. */
    private void awaitLate() {
        boolean late = false;
        while (!late && !ended) {
            long waiting = taken + ready.size();
            long before = taken;
            try {
                var unused = watching.await(lateMs, TimeUnit.MILLISECONDS);
            } catch (InterruptedException e) {
                continue; // Nobody means to end this thread; left behind by a listener.
            }
            if (ready.isEmpty()) {
                break;
            }
            late = taken < waiting && !ended;
            if (late && taken == before) {
                ready.stream().skip(1).forEach(blocked -> call()); // All that run are blocked.
            }
        }
        watched = false;
        if (ready.size() > 1) {
            watch();
        }
    }

    /** Threads end when they have done what is there. */
    void end() {
        lock.lock();
        try {
            ended = true;
            called.signalAll();
            watching.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
