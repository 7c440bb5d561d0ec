package io.mainstem.jms.failover;

import jakarta.jms.JMSException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Something that exists on each connection anew: a session, a link. Calls wait while there is none. Thread: any.
 *
 * @param <T> what it is
 */
final class Renewed<T> {
    private final List<Runnable> waiting = new ArrayList<>();
    private @Nullable T current;
    private @Nullable JMSException end;
    private long generation;

    /** A call that may be asked for again on another connection. */
    interface Call<T, R> extends Function<T, CompletionStage<R>> {}

    /** Changes with each loss. */
    synchronized long generation() {
        return generation;
    }

    synchronized @Nullable T current() {
        return current;
    }

    /** The connection is lost: calls wait from now on. */
    synchronized void lost() {
        if (current != null) {
            current = null;
            generation++;
        }
    }

    /** It is there again: what waits is done now. */
    void renewed(T next) {
        List<Runnable> calls;
        synchronized (this) {
            current = next;
            calls = List.copyOf(waiting);
            waiting.clear();
        }
        calls.forEach(Runnable::run);
    }

    /** It will never be there again: what waits fails. */
    void ended(JMSException reason) {
        List<Runnable> calls;
        synchronized (this) {
            current = null;
            end = end == null ? reason : end;
            calls = List.copyOf(waiting);
            waiting.clear();
        }
        calls.forEach(Runnable::run);
    }

    /** Calls it now or when it is there; a call that a loss has ended is made again. */
    <R> CompletableFuture<R> call(Call<T, R> call) {
        CompletableFuture<R> result = new CompletableFuture<>();
        attempt(call, result);
        return result;
    }

    private <R> void attempt(Call<T, R> call, CompletableFuture<R> result) {
        T target;
        JMSException reason;
        long begun;
        synchronized (this) {
            target = current;
            reason = end;
            begun = generation;
            if (target == null && reason == null) {
                waiting.add(() -> attempt(call, result));
            }
        }
        if (reason != null) {
            result.completeExceptionally(reason);
        } else if (target != null && !result.isDone()) {
            var unused = call.apply(target).whenComplete((value, failure) -> {
                if (failure == null) {
                    result.complete(value);
                } else if (generation() != begun) {
                    attempt(call, result);
                } else {
                    result.completeExceptionally(Attempts.unwrapped(failure));
                }
            });
        }
    }
}
