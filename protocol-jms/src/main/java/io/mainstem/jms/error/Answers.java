package io.mainstem.jms.error;

import jakarta.jms.JMSException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** Waits for answers of the broker; all waiting for it is here. Thread: any but the transport's. */
public final class Answers {
    private Answers() {}

    /** What is left until a deadline by {@code System.nanoTime}, at least 1. */
    public static long leftMs(long deadlineNanos) {
        return Math.max(1, (deadlineNanos - System.nanoTime()) / 1_000_000);
    }

    /**
     * Waits for an answer, but not for ever.
     *
     * @param doing what is waited for, for the message
     * @throws JMSException the answer is a failure, does not come in time, or the thread is interrupted
     */
    public static <T> T await(CompletionStage<T> stage, long timeoutMs, String doing) throws JMSException {
        try {
            return stage.toCompletableFuture().get(Math.max(1, timeoutMs), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw Errors.asJms(e.getCause() == null ? e : e.getCause());
        } catch (TimeoutException e) {
            throw new JMSException(
                    "MS-0705 no answer from the broker within " + timeoutMs + " ms: " + doing, "MS-0705");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JMSException("MS-0705 the thread was interrupted: " + doing, "MS-0705");
        }
    }

    /**
     * Waits for something that is made at the broker. What is made too late, when nobody waits any more, is taken back.
     *
     * @param doing what is waited for, for the message
     * @param takeBack ends it; its result is not waited for
     * @throws JMSException as {@link #await}
     */
    public static <T> T awaitMade(CompletionStage<T> stage, long timeoutMs, String doing, Function<T, ?> takeBack)
            throws JMSException {
        CompletableFuture<T> taken = new CompletableFuture<>();
        var unused = stage.whenComplete((made, failure) -> {
            if (failure != null) {
                taken.completeExceptionally(failure);
            } else if (!taken.complete(made)) {
                var unusedEnd = takeBack.apply(made);
            }
        });
        try {
            return await(taken, timeoutMs, doing);
        } catch (JMSException e) {
            if (!taken.cancel(false) && !taken.isCompletedExceptionally()) {
                var unusedEnd = takeBack.apply(taken.join()); // Made just when nobody waited any more.
            }
            throw e;
        }
    }
}
