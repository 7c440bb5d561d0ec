package io.mainstem.routing.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What one iteration of the shard has for one session's event loop, handed over with one {@code execute}. Thread: shard
 * only.
 */
final class Outbox {
    private static final Logger LOG = LoggerFactory.getLogger(Outbox.class);

    private final Executor eventLoop;
    private final List<Outbox> touched;
    private final Runnable onLoopGone;
    private List<Runnable> events = new ArrayList<>();
    private final List<Consumer> openConsumers = new ArrayList<>();
    private boolean listed;

    /**
     * @param touched where the outbox enters itself when it gets its first event of an iteration
     * @param onLoopGone the event loop takes nothing any more
     */
    Outbox(Executor eventLoop, List<Outbox> touched, Runnable onLoopGone) {
        this.eventLoop = eventLoop;
        this.touched = touched;
        this.onLoopGone = onLoopGone;
    }

    void add(Runnable event) {
        if (!listed) {
            listed = true;
            touched.add(this);
        }
        events.add(event);
    }

    /** The consumer's open batch ends with this iteration. */
    void onFlush(Consumer consumer) {
        openConsumers.add(consumer);
    }

    /** Hands everything over. */
    void flush() {
        listed = false;
        for (Consumer consumer : openConsumers) {
            consumer.seal();
        }
        openConsumers.clear();
        List<Runnable> batch = events;
        events = new ArrayList<>();
        try {
            eventLoop.execute(() -> runAll(batch));
        } catch (RejectedExecutionException loopHasStopped) {
            onLoopGone.run();
        }
    }

    /** Events belong to different links and publishes: a defect in the handling of one must not cost the others theirs. */
    private static void runAll(List<Runnable> batch) {
        RuntimeException first = null;
        for (Runnable event : batch) {
            try {
                event.run();
            } catch (RuntimeException defect) {
                first = first == null ? defect : first;
            }
        }
        if (first != null) {
            LOG.error(
                    "MS-0345 a session failed to handle an answer or a delivery, the others of its batch were handled "
                            + "fix: report this with the stack trace, then connect again",
                    first);
        }
    }
}
