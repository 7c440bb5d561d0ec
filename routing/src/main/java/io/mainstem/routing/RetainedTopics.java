package io.mainstem.routing;

import io.mainstem.routing.message.Message;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The retained messages of a virtual host: one for each topic at most [S-10]. Thread: any. */
public interface RetainedTopics {
    /** How many there are, those included that have expired and are not gone yet. */
    int count();

    /** What they take, bytes. */
    long bytes();

    /**
     * Bounds them from now on: publishes that would retain more are refused with {@link ErrorKind#RESOURCE_LIMIT}; topics
     * that have a retained message may get another one as long as there is room for its bytes.
     */
    void limit(int countMax, long bytesMax);

    /**
     * Shows some, in the order of their keys; what one call looks at is bounded.
     *
     * @param prefix of their routing keys
     * @param after only keys greater than this one; "" = from the first
     * @param limit at most so many, at least 1
     * @param wanted asked with routing keys
     * @param nowMs those that have expired by then are left out
     * @return the last key that was looked at if there may be more, else null
     */
    @Nullable
    String page(String prefix, String after, int limit, Predicate<String> wanted, long nowMs, Consumer<Message> found);

    /**
     * Takes those away that have expired by {@code nowMs}; what is published in the meantime stays.
     *
     * @param max at most so many
     * @return how many
     */
    int expire(long nowMs, int max);
}
