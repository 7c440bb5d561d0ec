package io.mainstem.jms;

import jakarta.jms.IllegalStateException;
import jakarta.jms.InvalidClientIDException;
import jakarta.jms.InvalidDestinationException;
import jakarta.jms.InvalidSelectorException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.MessageFormatException;
import jakarta.jms.ResourceAllocationException;
import jakarta.jms.TransactionRolledBackException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** Exceptions of this package, and waiting for what may end with one. Thread: any. */
final class Errors {
    private Errors() {}

    /** A call that this object does not take in this state. */
    static IllegalStateException illegal(String id, String text) {
        return new IllegalStateException(id + " " + text, id);
    }

    /** A call on a closed object. */
    static IllegalStateException closed(String what) {
        return illegal("MS-0707", what + " is closed; fix: create another one");
    }

    /** A wrong argument that Jakarta Messaging has no own exception for. */
    static JMSException wrong(String text) {
        return new JMSException("MS-0711 " + text, "MS-0711");
    }

    static InvalidDestinationException destination(String text) {
        return new InvalidDestinationException("MS-0712 " + text, "MS-0712");
    }

    /** What is left until a deadline by {@code System.nanoTime}, at least 1. */
    static long leftMs(long deadlineNanos) {
        return Math.max(1, (deadlineNanos - System.nanoTime()) / 1_000_000);
    }

    /**
     * Waits for an answer, but not for ever.
     *
     * @param doing what is waited for, for the message
     * @throws JMSException the answer is a failure, does not come in time, or the thread is interrupted
     */
    static <T> T await(CompletionStage<T> stage, long timeoutMs, String doing) throws JMSException {
        try {
            return stage.toCompletableFuture().get(Math.max(1, timeoutMs), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw asJms(e.getCause() == null ? e : e.getCause());
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
    static <T> T awaitMade(CompletionStage<T> stage, long timeoutMs, String doing, Function<T, ?> takeBack)
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

    /** Runs what a failure makes necessary; that it fails, too, is only noted: the first is what people must learn. */
    static void after(JMSException failure, Runtimes.Action action) {
        try {
            action.run();
        } catch (JMSException e) {
            failure.addSuppressed(e);
        }
    }

    /** The same failure with the stack of this thread, which is the one people look at, and the same cause. */
    static JMSException asJms(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        if (!(cause instanceof JMSException original)) {
            JMSException wrapped = new JMSException("MS-0700 internal error of the provider: " + cause, "MS-0700");
            wrapped.initCause(cause);
            return wrapped;
        }
        JMSException copy = copy(original);
        if (copy == original) {
            return original;
        }
        copy.setLinkedException(original.getLinkedException());
        copy.initCause(original.getCause());
        return copy;
    }

    private static JMSException copy(JMSException original) {
        String reason = original.getMessage();
        String code = original.getErrorCode();
        if (original instanceof JMSSecurityException) {
            return new JMSSecurityException(reason, code);
        } else if (original instanceof InvalidClientIDException) {
            return new InvalidClientIDException(reason, code);
        } else if (original instanceof InvalidDestinationException) {
            return new InvalidDestinationException(reason, code);
        } else if (original instanceof InvalidSelectorException) {
            return new InvalidSelectorException(reason, code);
        } else if (original instanceof ResourceAllocationException) {
            return new ResourceAllocationException(reason, code);
        } else if (original.getClass() == TransactionRolledBackException.class) {
            return new TransactionRolledBackException(reason, code);
        } else if (original instanceof MessageFormatException) {
            return new MessageFormatException(reason, code);
        }
        return original.getClass() == JMSException.class ? new JMSException(reason, code) : original;
    }
}
