package io.mainstem.mqtt;

import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** What {@link Sessions} knows of one client id. Thread: theirs. */
final class ClientSlot {
    @Nullable
    SessionHolder holder;

    @Nullable
    SessionHolder waiting;

    /** What is in the log. */
    @Nullable
    SessionRecord stored;

    /** Not published yet, nobody connected. */
    @Nullable
    WillMessage will;

    /** The log is being rid of what was there. */
    boolean discarding;

    private @Nullable Future<?> expiry;
    private @Nullable Future<?> willTimer;

    /** A user's id is that user's alone; one of anonymous clients is everybody's. */
    boolean admits(@Nullable String user) {
        return (holder == null || admits(holder.user(), user))
                && (waiting == null || admits(waiting.user(), user))
                && (stored == null || admits(stored.user(), user));
    }

    private static boolean admits(@Nullable String owner, @Nullable String user) {
        return owner == null || owner.equals(user);
    }

    /** Nobody has it, wants it, or left anything. */
    boolean isUnused() {
        return holder == null && waiting == null && stored == null && will == null && !discarding;
    }

    /**
     * When something is to be done if nobody connects.
     *
     * @param newExpiry ends the session; null = it stays
     * @param newWillTimer publishes its will; null = there is none
     */
    void arm(@Nullable Future<?> newExpiry, @Nullable Future<?> newWillTimer) {
        disarm();
        expiry = newExpiry;
        willTimer = newWillTimer;
    }

    void disarm() {
        cancel(expiry);
        cancel(willTimer);
        expiry = null;
        willTimer = null;
    }

    private static void cancel(@Nullable Future<?> timer) {
        if (timer != null) {
            timer.cancel(false);
        }
    }
}
