package io.mainstem.jms.transaction;

import io.mainstem.jms.link.TransactionId;
import jakarta.jms.JMSException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** The transaction that a session works in. Thread: that of the session. */
public interface Transactions {
    /** Whether what is done now belongs to a transaction. */
    boolean active();

    /**
     * The transaction, which has work from now on.
     *
     * @throws JMSException if the broker does not begin one
     */
    TransactionId join() throws JMSException;

    /** A send whose outcome decides whether the transaction can be committed. */
    void sent(CompletionStage<@Nullable Void> outcome);

    /** True if what is sent may leave with the end of the transaction, which is always asked of the same session. */
    default boolean gathers() {
        return false;
    }

    /** The session is closed: what is not committed is undone. */
    void end() throws JMSException;

    /** No transactions at all. */
    Transactions NONE = new Transactions() {
        @Override
        public boolean active() {
            return false;
        }

        @Override
        public TransactionId join() {
            throw new IllegalStateException("no transactions here");
        }

        @Override
        public void sent(CompletionStage<@Nullable Void> outcome) {
            // Nobody asks.
        }

        @Override
        public void end() {
            // Nothing to end.
        }
    };
}
