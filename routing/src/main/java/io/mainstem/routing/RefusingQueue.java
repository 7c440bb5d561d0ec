package io.mainstem.routing;

/**
 * A queue that does not take a publish.
 *
 * @param name of the queue
 * @param reason one word for programs: {@link #MAXLEN} or {@link #UNAVAILABLE}
 */
public record RefusingQueue(String name, String reason) {
    /** It holds as much as it may, and is declared to refuse what is more. */
    public static final String MAXLEN = "maxlen";

    /** It has no room at the moment. */
    public static final String UNAVAILABLE = "unavailable";
}
