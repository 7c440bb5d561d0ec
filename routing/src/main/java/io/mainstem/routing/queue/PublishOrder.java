package io.mainstem.routing.queue;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * What a session publishes by way of the shard, in its order: what has to wait there, for a publish id or to read dead
 * letters, holds up what comes behind it. Thread: shard.
 */
final class PublishOrder {
    private final ArrayDeque<Runnable> behind = new ArrayDeque<>(0);
    private boolean held;
    private boolean goingOn;
    private boolean queueing;
    /** Its caller lets the next one go on. */
    private boolean atOnce;
    /**
     * Groups on their way to the log whose messages are queued in memory as soon as they are there. Below 0 while the
     * shard has heard of the end of one first, which its event loop has given to the log.
     */
    private int unseen;

    private @Nullable Runnable whenSeen;

    /** The next one's turn: now, or behind those that wait. */
    void run(Runnable next) {
        if (held) {
            behind.add(next);
        } else {
            next.run();
        }
    }

    /** The one whose turn it is waits; what comes behind it waits until {@link #goOn}. */
    void hold() {
        held = true;
    }

    /** The one whose turn it was has given the log what it has for it. */
    void goOn() {
        held = whenSeen != null || queueing;
        if (goingOn) {
            return;
        }
        goingOn = true;
        while (!held && !behind.isEmpty()) {
            behind.remove().run();
        }
        goingOn = false;
    }

    /** The one whose turn it is queues messages in memory only: behind those of groups before it. */
    void queueInMemory(Runnable queue) {
        if (unseen > 0) {
            whenSeen = queue;
            held = true;
        } else {
            now(queue);
        }
    }

    private void now(Runnable queue) {
        atOnce = true;
        queue.run();
        atOnce = false;
    }

    /** Queueing it takes turns: until {@link #queued} nothing goes on. */
    void queueing() {
        queueing = true;
        held = true;
    }

    /** All of it is queued. If that took no turn of its own, whoever let it begin lets the next one go on. */
    void queued() {
        queueing = false;
        if (!atOnce) {
            goOn();
        }
    }

    /** A group goes to the log that has messages for queues in memory, too. */
    void begun() {
        unseen++;
    }

    /** Its messages are in their queues, or it has failed. */
    void seen() {
        unseen--;
        Runnable next = whenSeen;
        if (unseen <= 0 && next != null) {
            whenSeen = null;
            now(next);
            goOn();
        }
    }
}
