package io.mainstem.jms.failover;

import io.mainstem.jms.link.TransactionId;
import jakarta.jms.TransactionRolledBackException;
import java.util.function.LongSupplier;

/** A transaction, which ends with the connection it was begun on. Thread: any. */
final class FailoverTransaction implements TransactionId {
    private final TransactionId id;
    private final long generation;
    private final LongSupplier generations;

    /** @param generations changes with each loss */
    FailoverTransaction(TransactionId id, long generation, LongSupplier generations) {
        this.id = id;
        this.generation = generation;
        this.generations = generations;
    }

    TransactionId id() {
        return id;
    }

    @Override
    public boolean isOver() {
        return generations.getAsLong() != generation;
    }

    static TransactionRolledBackException over() {
        return new TransactionRolledBackException(
                "MS-0714 the connection was lost, and with it the transaction; fix: do its work again", "MS-0714");
    }
}
