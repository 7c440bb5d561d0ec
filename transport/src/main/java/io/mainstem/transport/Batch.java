package io.mainstem.transport;

import java.util.concurrent.Executor;

/**
 * The rhythm of a connection: everything that a read brings is handled first; then answers go out together, with one
 * hand-over to the broker and one flush of the socket. What comes from elsewhere is put together the same way.
 *
 * <p>Thread: the connection's event loop.
 */
public final class Batch {
    private final Executor eventLoop;
    private final Runnable collect;
    private final Runnable flush;
    private boolean open;
    private boolean scheduled;

    /**
     * A connection's own.
     *
     * @param collect puts together what is to go out; what it asks to be flushed is
     * @param flush gives it to the socket; may {@link #schedule} another end
     */
    public Batch(Executor eventLoop, Runnable collect, Runnable flush) {
        this.eventLoop = eventLoop;
        this.collect = collect;
        this.flush = flush;
    }

    /** A read has brought something. */
    public void begin() {
        open = true;
    }

    /** The read is complete. */
    public void end() {
        open = false;
        run();
    }

    /** True while what is written goes out by itself. */
    public boolean isOpen() {
        return open;
    }

    /** Sees to it that there is an end soon; for callbacks that come outside of a read. */
    public void schedule() {
        if (!open && !scheduled) {
            scheduled = true;
            eventLoop.execute(this::scheduledEnd);
        }
    }

    private void scheduledEnd() {
        scheduled = false;
        run();
    }

    private void run() {
        boolean within = open;
        open = true;
        collect.run();
        open = within;
        flush.run();
    }
}
