package io.mainstem.routing;

/** Told what became of publishes. Thread: the session's event loop. */
@FunctionalInterface
public interface PublishListener {
    /** Nobody wants to know. */
    PublishListener NONE = (tag, result) -> {};

    /**
     * One publish is done.
     *
     * @param tag as given to {@link BrokerSession#publish}; for one session, durable results come in publish order
     */
    void onPublished(long tag, PublishResult result);
}
