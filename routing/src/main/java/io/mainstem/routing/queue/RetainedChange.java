package io.mainstem.routing.queue;

import io.mainstem.routing.BrokerException;
import io.mainstem.routing.message.Message;
import io.mainstem.store.MetaChange;
import org.jspecify.annotations.Nullable;

/**
 * What one publish does to the retained message of its key; there from before the publish is routed until it is on disk or
 * has failed. Thread: handed over with its publish.
 */
final class RetainedChange {
    private final RetainedMessages retained;
    private final Message message;
    private final long number;
    private @Nullable MetaChange meta;
    private Taken taken = new Taken(0, 0);
    private boolean over;

    /** Room that it has taken until it is over. */
    record Taken(int messages, long bytes) {}

    /** @param number of {@link RetainedUnderWay} */
    RetainedChange(RetainedMessages retained, Message message, long number) {
        this.retained = retained;
        this.message = message;
        this.number = number;
    }

    Message message() {
        return message;
    }

    /** The publish's place among all that change retained messages. */
    long number() {
        return number;
    }

    Taken taken() {
        return taken;
    }

    /**
     * What is to be written with the message; a value of null deletes, as an empty body asks.
     *
     * @throws BrokerException if it would be more than may be retained
     */
    MetaChange meta() {
        MetaChange change = meta;
        if (change == null) {
            change = retained.meta(message);
            byte[] value = change.value();
            if (value != null) {
                taken = retained.take(message.envelope().routingKey(), value);
            }
            meta = change;
        }
        return change;
    }

    /** It is on disk and folded. Thread: shard. */
    void applied() {
        retained.applied(this);
        end();
    }

    /** It has not come about; nothing if it is over already. */
    void failed() {
        end();
    }

    private void end() {
        if (!over) {
            over = true;
            retained.ended(this);
        }
    }
}
