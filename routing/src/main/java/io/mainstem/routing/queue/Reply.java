package io.mainstem.routing.queue;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The answer to one request: given on the shard, received on the event loop. */
final class Reply<T extends @Nullable Object> {
    private final Outbox outbox;
    private final CompletableFuture<T> future;

    Reply(Outbox outbox, CompletableFuture<T> future) {
        this.outbox = outbox;
        this.future = future;
    }

    /** Does what was asked; a refusal thrown meanwhile is the answer. */
    void orRefuse(Runnable request) {
        try {
            request.run();
        } catch (BrokerException refusal) {
            refused(refusal);
        }
    }

    void done(T value) {
        outbox.add(() -> future.complete(value));
    }

    /** Done, and there is nothing to say beyond that. */
    void done() {
        outbox.add(() -> future.complete(null));
    }

    void refused(BrokerException why) {
        outbox.add(() -> future.completeExceptionally(why));
    }

    /** The log has no room for the change: it has certainly not happened. */
    void noRoom(String change, String reason) {
        refused(
                ErrorKind.RESOURCE_LIMIT,
                "MS-0336",
                change + " could not be logged and was not done: " + reason + ".",
                "free disk space, then do it again.");
    }

    /** The log has ended while the change was on its way: nobody knows whether it happened. */
    void inDoubt(String change, String reason) {
        refused(
                ErrorKind.UNAVAILABLE,
                "MS-0336",
                change + " could not be logged, it is not known whether it took effect: " + reason + ".",
                "restart the broker, then look whether it took effect.");
    }

    void refused(ErrorKind kind, String code, String problem, String fix) {
        refused(new BrokerException(kind, code, problem, fix));
    }
}
