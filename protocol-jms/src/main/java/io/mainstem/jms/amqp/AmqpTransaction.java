package io.mainstem.jms.amqp;

import io.mainstem.jms.link.TransactionId;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.transaction.TransactionalState;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.jspecify.annotations.Nullable;

/**
 * A transaction of a coordinator. Thread: any; what is said of its sends belongs to the event loop.
 */
final class AmqpTransaction implements TransactionId {
    private final Binary id;
    private final TransactionalState none;
    private final TransactionalState accepted;
    private final boolean local;
    private int waiting;
    private boolean lost;
    private @Nullable Runnable onAllLeft;

    /** @param local of one session: nothing of it is known elsewhere before its discharge */
    AmqpTransaction(Binary id, boolean local) {
        this.id = id;
        this.local = local;
        this.none = with(null);
        this.accepted = with(Accepted.getInstance());
    }

    Binary id() {
        return id;
    }

    boolean isLocal() {
        return local;
    }

    /** A message of it waits for credit. */
    void waits() {
        waiting++;
    }

    /** A message of it is with the engine. */
    void left() {
        waiting--;
        Runnable then = onAllLeft;
        if (waiting == 0 && then != null) {
            onAllLeft = null;
            then.run();
        }
    }

    /** A message of it will never reach the broker, which therefore must not commit. */
    void lost() {
        lost = true;
    }

    boolean hasLost() {
        return lost;
    }

    /** Runs it when no message of the transaction waits any more: what is said then comes behind them. */
    void whenAllLeft(Runnable then) {
        if (waiting == 0) {
            then.run();
        } else {
            onAllLeft = then;
        }
    }

    /** The state that puts a delivery into this transaction; always the same object for the same common outcome. */
    TransactionalState state(@Nullable DeliveryState outcome) {
        return outcome == null ? none : outcome == Accepted.getInstance() ? accepted : with(outcome);
    }

    private TransactionalState with(@Nullable DeliveryState outcome) {
        TransactionalState state = new TransactionalState();
        state.setTxnId(id);
        state.setOutcome((org.apache.qpid.proton.amqp.messaging.Outcome) outcome);
        return state;
    }
}
