package io.mainstem.amqp.v1.management;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** Deleting what is not there has worked [mapping 5.3]. */
final class Absence {
    private Absence() {}

    /** The response, or the other one if the broker says that there is no such object. */
    static CompletionStage<Response> isDone(CompletionStage<Response> response, Response otherwise) {
        return response.exceptionally(failure -> {
            Throwable cause = cause(failure);
            if (cause instanceof BrokerException refusal && refusal.kind() == ErrorKind.NOT_FOUND) {
                return otherwise;
            }
            throw new CompletionException(cause);
        });
    }

    /** What made a stage fail, without the wrapping. */
    static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }
}
