package io.mainstem.jms.link;

import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Begins and ends transactions. Thread: any, see the package. */
public interface Coordinator {
    /**
     * Begins one.
     *
     * @param globalId names a branch of a distributed transaction, 1 to 140 bytes; null: a local one
     * @return fails with {@link BranchExistsException} if the name is in use
     */
    CompletionStage<TransactionId> declare(byte @Nullable [] globalId);

    /**
     * Ends one.
     *
     * @param fail undo it
     * @return fails with {@code TransactionRolledBackException} if it could not be committed and is undone, and its kind
     *     {@link InDoubtException} if the connection is lost and nobody knows
     */
    CompletionStage<@Nullable Void> discharge(TransactionId transaction, boolean fail);

    /**
     * True if a transaction of which a message was refused, or never reached the broker, is rolled back whatever its
     * discharge asks for: nobody has to wait for the answers to its messages before.
     */
    default boolean rollsBackWhatItRefuses() {
        return false;
    }

    /** What senders and receivers of this session have kept leaves now. */
    default void flush() {
        // Nothing was kept.
    }

    /** First phase: it can be decided by {@link #decide} from now on, whatever fails. Its id is over. */
    CompletionStage<@Nullable Void> prepare(TransactionId transaction);

    /**
     * Second phase of a prepared branch, on any connection.
     *
     * @return fails with {@link UnknownBranchException} if no such branch is prepared, with {@link HeuristicException} if
     *     somebody else has decided it
     */
    CompletionStage<@Nullable Void> decide(byte[] globalId, boolean commit);

    /** The heuristic decision about a branch has been taken note of; its global id is free again. */
    CompletionStage<@Nullable Void> forget(byte[] globalId);

    /** The global ids of all branches that this user may decide, or that were decided heuristically and not forgotten. */
    CompletionStage<List<byte[]>> prepared();
}
