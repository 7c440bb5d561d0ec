package io.mainstem.amqp.v1;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.QueueInfo;
import io.mainstem.routing.QueueSpec;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** Makes a queue that a peer uses and that is not there. Thread: the connection's event loop. */
final class AutoCreation {
    private AutoCreation() {}

    /** Fails with a text about the use if the user may not make it: that a queue is to be made is not what was asked for. */
    static CompletionStage<QueueInfo> make(BrokerSession broker, String queue) {
        return broker.declareQueue(QueueSpec.durable(queue)).exceptionallyCompose(failure -> {
            Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
            boolean forbidden = cause instanceof BrokerException refusal && refusal.kind() == ErrorKind.ACCESS_REFUSED;
            return CompletableFuture.failedFuture(forbidden ? missing(broker, queue) : failure);
        });
    }

    private static BrokerException missing(BrokerSession broker, String queue) {
        String user = broker.user();
        return new BrokerException(
                ErrorKind.ACCESS_REFUSED,
                "MS-0558",
                "there is no queue '" + queue + "', and " + (user == null ? "anonymous users" : "user '" + user + "'")
                        + " may not make it.",
                "correct the name, or let an administrator make the queue or allow 'configure queue " + queue + "'.");
    }
}
