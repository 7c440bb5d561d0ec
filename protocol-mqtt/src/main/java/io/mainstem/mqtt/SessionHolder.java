package io.mainstem.mqtt;

import org.jspecify.annotations.Nullable;

/** A connection that has, or waits for, a client id. Thread: that of {@link Sessions}. */
interface SessionHolder {
    /** Who asks; null = an anonymous client. */
    @Nullable
    String user();

    /** True if what is there of the session is to go. */
    boolean cleanStart();

    /**
     * The id is its own.
     *
     * @param left the session as it was left, or null if there is none
     */
    void granted(@Nullable SessionRecord left);

    /** The id belongs to another user, whose session stays as it is. */
    void refused();

    /** There is no room for the session of one more client. */
    void full(int sessionsMax);

    /** Another connection wants the id: leave, and say so with {@link Sessions#ended}. */
    void takenOver();
}
