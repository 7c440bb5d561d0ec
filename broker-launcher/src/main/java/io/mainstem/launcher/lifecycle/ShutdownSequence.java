package io.mainstem.launcher.lifecycle;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Undoes the steps of a start in reverse order. A step that fails is logged and the others still run, so that a broken
 * listener never keeps the checkpoint from being written.
 *
 * <p>Thread: one at a time; {@link #run} is idempotent.
 */
final class ShutdownSequence {
    private static final Logger LOG = LoggerFactory.getLogger(ShutdownSequence.class);

    private final Deque<Step> steps = new ArrayDeque<>();

    /** To be called right after the thing that {@code undo} undoes was started. */
    synchronized void add(String name, Runnable undo) {
        steps.push(new Step(name, undo));
    }

    /** Drops all steps without running them. */
    synchronized void forget() {
        steps.clear();
    }

    /**
     * Runs all steps, last added first.
     *
     * @return true if every step succeeded
     */
    synchronized boolean run() {
        boolean clean = true;
        while (!steps.isEmpty()) {
            Step step = steps.pop();
            try {
                step.undo().run();
            } catch (RuntimeException e) {
                clean = false;
                LOG.warn(
                        "MS-0120 stop step failed step={} fix: see the cause; the next start recovers.",
                        step.name(),
                        e);
            }
        }
        return clean;
    }

    private record Step(String name, Runnable undo) {}
}
