package io.mainstem.routing.queue;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jctools.queues.MpscUnboundedArrayQueue;

/**
 * The shard's mailbox and its sleep. Other threads hand batches over; the shard is woken at most once until it looks
 * again, because a wake-up costs more than most of the work it announces.
 *
 * <p>Thread: {@link #post} and {@link #wake} any, the rest the shard.
 */
final class ShardThread {
    private static final int TASKS_PER_DRAIN = 4096;

    private final MpscUnboundedArrayQueue<Runnable> mailbox = new MpscUnboundedArrayQueue<>(1024);
    private final Thread thread;
    private volatile boolean signalled;
    private volatile boolean parked;

    /** @param loop runs on the thread until it returns */
    ShardThread(String name, Runnable loop) {
        this.thread = new Thread(loop, name);
    }

    void start() {
        thread.start();
    }

    /** Hands a task over and wakes the shard. */
    void post(Runnable task) {
        mailbox.offer(task);
        wake();
    }

    /** There is work somewhere: the shard shall look. Cheap if it is awake. */
    void wake() {
        if (!signalled) {
            signalled = true;
        }
        if (parked) {
            parked = false;
            LockSupport.unpark(thread);
        }
    }

    /** Runs what is in the mailbox, within a limit; the number of tasks run. */
    int drain() {
        int done = 0;
        for (Runnable task = mailbox.poll(); task != null; task = mailbox.poll()) {
            task.run();
            if (++done == TASKS_PER_DRAIN) {
                break;
            }
        }
        return done;
    }

    /** What was announced up to now is about to be looked at. */
    void look() {
        signalled = false;
    }

    /** Sleeps until woken, at most {@code millis}; not at all if there was a signal since {@link #look}. */
    void park(long millis) {
        parked = true;
        if (!signalled && mailbox.isEmpty()) {
            LockSupport.parkNanos(this, TimeUnit.MILLISECONDS.toNanos(millis));
        }
        parked = false;
    }

    boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    /** Waits for the loop to end, unless called by the shard itself. */
    void join() {
        if (isCurrent()) {
            return;
        }
        boolean interrupted = false;
        while (true) {
            try {
                thread.join();
                break;
            } catch (InterruptedException e) {
                // The shard is closing its log: leaving now would leave the data folder locked behind our back.
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
