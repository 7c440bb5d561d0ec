package io.mainstem.routing.queue;

import io.mainstem.routing.Transaction;
import java.util.ArrayList;
import java.util.List;

/** A transaction with what it is to do to the model. */
final class SimTransaction {
    final Transaction transaction;
    final int client;
    final List<SimCopy> sends = new ArrayList<>();
    final List<SimCopy> settles = new ArrayList<>();
    boolean commitAsked;
    /** The quiet moment before the commit. */
    long mark;

    SimTransaction(Transaction transaction, int client) {
        this.transaction = transaction;
        this.client = client;
    }
}
