package io.mainstem.routing;

import io.mainstem.routing.message.Message;
import java.util.concurrent.CompletionStage;
import java.util.function.ObjLongConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The retained messages of a virtual host: one for each topic at most [S-10]. Thread: any. */
public interface RetainedTopics {
    /**
     * The exchange of the copies that a head puts into the queue of a new subscription; nobody can publish to it. Their first
     * key is that of the topic.
     */
    String COPIES = "amq.mqtt:retained";

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
     * To be asked by who has been bound and is to get what was retained before: completes, on any thread, when every publish
     * that the binding may have missed is to be seen here, or has failed.
     *
     * @param number of {@link BrokerSession#bind}
     * @return the same, for {@link Look#settled}: what is published after it comes by the binding
     */
    CompletionStage<Long> settled(long number);

    /**
     * What is looked for.
     *
     * @param prefix of routing keys
     * @param wanted asked with routing keys
     * @param settled of {@link RetainedTopics#settled}
     */
    record Look(String prefix, Predicate<String> wanted, long settled) {
        /** All that is there now, whoever is bound. */
        public static Look now(String prefix, Predicate<String> wanted) {
            return new Look(prefix, wanted, Long.MAX_VALUE);
        }
    }

    /**
     * Shows some, in the order of their keys; what one call looks at is bounded.
     *
     * @param after only keys greater than this one; "" = from the first
     * @param limit at most so many, at least 1
     * @param nowMs those that have expired by then are left out
     * @param found told each with its version, for {@link #isLast}
     * @return the last key that was looked at if there may be more, else null
     */
    @Nullable
    String page(Look look, String after, int limit, long nowMs, ObjLongConsumer<Message> found);

    /** False if another message has taken the place of that version, or none is retained any more. */
    boolean isLast(String key, long version);

    /**
     * Takes those away that have expired by {@code nowMs}; what is published in the meantime stays.
     *
     * @param max at most so many
     * @return how many
     */
    int expire(long nowMs, int max);
}
