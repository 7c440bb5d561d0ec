package io.mainstem.jms.transaction;

import io.mainstem.jms.error.Answers;
import io.mainstem.jms.error.Errors;
import jakarta.jms.JMSException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * How the sends of one transaction ended, in the space of a counter: a transaction may have any number of them, of which
 * the producers' windows bound those under way. Thread: any.
 */
final class SendOutcomes {
    private int open;
    private @Nullable Throwable first;
    private @Nullable CompletableFuture<@Nullable Void> allEnded;

    /** A send whose outcome counts. */
    void add(CompletionStage<@Nullable Void> outcome) {
        synchronized (this) {
            open++;
        }
        var unused = outcome.whenComplete((done, failure) -> ended(failure));
    }

    private void ended(@Nullable Throwable failure) {
        CompletableFuture<@Nullable Void> told;
        synchronized (this) {
            open--;
            if (first == null) {
                first = failure;
            }
            told = open == 0 ? allEnded : null;
        }
        if (told != null) {
            told.complete(null);
        }
    }

    /** Why one of those that have ended has failed; null if none has. */
    synchronized @Nullable JMSException failure() {
        return first == null ? null : Errors.asJms(first);
    }

    /**
     * Waits until all that were added have ended.
     *
     * @return why one of them failed; null if none did
     */
    @Nullable
    JMSException await(long timeoutMs) {
        CompletableFuture<@Nullable Void> end;
        synchronized (this) {
            end = allEnded;
            if (end == null || end.isDone()) {
                end = new CompletableFuture<>();
                allEnded = end;
            }
            if (open == 0) {
                end.complete(null);
            }
        }
        try {
            Answers.await(end, timeoutMs, "sending within a transaction");
        } catch (JMSException e) {
            return e;
        }
        return failure();
    }
}
