package io.mainstem.jms.amqp;

import io.mainstem.jms.link.TransactionId;
import java.util.HashSet;
import java.util.Set;
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
    private final Set<Writer> writers = new HashSet<>(2);
    private int open;
    private boolean lost;
    private @Nullable Runnable onAllAnswered;

    /** Who sends messages of it. Thread: the event loop. */
    interface Writer {
        /** Whether nothing that was given to it is still to be written. */
        boolean hasWrittenAll();
    }

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

    /** A message of it is given to this one: {@link #answered} follows, if need be after {@link #lost}. */
    void sent(Writer by) {
        writers.add(by);
        open++;
    }

    void answered() {
        open--;
        Runnable then = onAllAnswered;
        if (open == 0 && then != null) {
            onAllAnswered = null;
            then.run();
        }
    }

    /** The broker may never have got a message of it, so it must not commit. */
    void lost() {
        lost = true;
    }

    boolean hasLost() {
        return lost;
    }

    /**
     * Runs it when what is said next comes behind all messages of the transaction: at once if all are written, else when
     * all are answered, for the frames of a large one may have others between them.
     */
    void whenAllThere(Runnable then) {
        if (open == 0 || writers.stream().allMatch(Writer::hasWrittenAll)) {
            then.run();
        } else {
            onAllAnswered = then;
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
