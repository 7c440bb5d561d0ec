package io.mainstem.routing.queue;

import io.mainstem.store.Frame;
import java.util.ArrayList;
import java.util.List;

/**
 * The messages of a transaction on its way to the commit, and the room they take until it is over. Immutable.
 *
 * @param bytes taken of the budget
 */
record TransactionSends(List<TransactionSend> sends, long bytes, TransactionBudget budget) {
    /** Records of those that are stored, in the order they were published. */
    List<Frame> frames() {
        List<Frame> frames = new ArrayList<>(sends.size() + 1);
        for (TransactionSend send : sends) {
            Frame frame = send.frame();
            if (frame != null) {
                frames.add(frame);
            }
        }
        return frames;
    }

    boolean anyInMemory() {
        return sends.stream().anyMatch(send -> send.destinations().anyInMemory());
    }

    /** Some of these, with the room they take. */
    TransactionSends only(List<TransactionSend> some) {
        long itsBytes = 0;
        for (TransactionSend send : some) {
            itsBytes += send.bytes();
        }
        return new TransactionSends(some, itsBytes, budget);
    }

    /** Gives back the room of all others. */
    TransactionSends keepOnly(List<TransactionSend> some) {
        if (some.size() == sends.size()) {
            return this;
        }
        TransactionSends kept = only(some);
        releaseBut(kept);
        return kept;
    }

    /** The transaction is over except for {@code rest}, of {@link #only}. */
    void releaseBut(TransactionSends rest) {
        budget.giveBack(bytes - rest.bytes);
    }

    /** The transaction is over. */
    void release() {
        budget.giveBack(bytes);
    }
}
