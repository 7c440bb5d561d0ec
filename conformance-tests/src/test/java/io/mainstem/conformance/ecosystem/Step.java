package io.mainstem.conformance.ecosystem;

/** Where the transaction of an {@link OrderProgram} is when something dies. */
enum Step {
    BEGUN,
    RECEIVED,
    SENT,
    WRITTEN,
    /** No more work: the manager has ended the branch of the messages. */
    ENDED,
    MESSAGES_PREPARED,
    DATABASE_PREPARED,
    /** The manager has written that the transaction is committed. */
    DECIDED,
    MESSAGES_COMMITTED,
    DATABASE_COMMITTED;

    /** From here on the manager commits, whoever dies. */
    boolean isDecided() {
        return compareTo(DECIDED) >= 0;
    }

    /** From here on the messages can be committed although the connection is lost. */
    boolean isPrepared() {
        return compareTo(MESSAGES_PREPARED) >= 0;
    }

    /** Told where a program is; may end it. Thread: that of the program. */
    interface Watch {
        void reached(Step step);
    }
}
