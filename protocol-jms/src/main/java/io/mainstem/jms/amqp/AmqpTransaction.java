package io.mainstem.jms.amqp;

import io.mainstem.jms.link.TransactionId;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.transaction.TransactionalState;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.jspecify.annotations.Nullable;

/** A transaction of a coordinator. Thread: any, immutable. */
final class AmqpTransaction implements TransactionId {
    private final Binary id;
    private final TransactionalState none;
    private final TransactionalState accepted;

    AmqpTransaction(Binary id) {
        this.id = id;
        this.none = with(null);
        this.accepted = with(Accepted.getInstance());
    }

    Binary id() {
        return id;
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
