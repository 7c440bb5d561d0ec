package io.mainstem.amqp.v1;

import io.mainstem.amqp.v1.wire.AmqpException;
import io.mainstem.amqp.v1.wire.TransferFrame;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.ErrorKind;
import io.netty.util.collection.IntObjectHashMap;
import org.apache.qpid.proton.amqp.transaction.TransactionalState;
import org.apache.qpid.proton.amqp.transport.AmqpError;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.jspecify.annotations.Nullable;

/**
 * Which of a link's deliveries belong to a transaction, from their last frame until they are routed, whatever becomes of the
 * link meanwhile: what has come whole is never published outside of its transaction. Thread: the connection's event loop.
 */
final class Postings {
    private final IntObjectHashMap<OpenTransaction> byDelivery = new IntObjectHashMap<>(4);

    /** @param transaction has been told {@link OpenTransaction#postingBegan} */
    void begin(int deliveryId, OpenTransaction transaction) {
        byDelivery.put(deliveryId, transaction);
    }

    /** The delivery's transaction, or null if it has none; to be told {@link OpenTransaction#postingEnded}. */
    @Nullable
    OpenTransaction end(int deliveryId) {
        return byDelivery.isEmpty() ? null : byDelivery.remove(deliveryId);
    }

    /** A transfer comes to a link that is gone: its sender may discharge before it learns of that. */
    void dropped(TransferFrame transfer, Transactions transactions, String link) {
        if (transfer.state() instanceof TransactionalState transactional) {
            try {
                transactions.find(transactional.getTxnId()).rollbackOnly(lostWith(link));
            } catch (AmqpException ended) {
                // Then there is nothing to commit.
            }
        }
    }

    /** A request in a transaction would be done whether that is committed or not. */
    static ErrorCondition noPosting(String link) {
        return new ErrorCondition(
                AmqpError.NOT_ALLOWED,
                "MS-0557 transfer with a txn-id on link '" + link + "', which takes requests (expected: none in a"
                        + " transaction) fix: send it without transactional state");
    }

    static BrokerException lostWith(String link) {
        return new BrokerException(
                ErrorKind.ROLLED_BACK,
                "MS-0534",
                "a posting was lost with its link '" + link + "'.",
                "do the transaction again.");
    }

    static BrokerException tooLate() {
        return new BrokerException(
                ErrorKind.ROLLED_BACK,
                "MS-0534",
                "the transaction was rolled back before a posting was routed.",
                "do the transaction again.");
    }

    /** Why a transaction of which a posting was refused can only be rolled back. */
    static BrokerException refused(ErrorCondition error) {
        return new BrokerException(
                ErrorKind.ROLLED_BACK,
                "MS-0534",
                "a posting was refused: " + error.getCondition() + " " + error.getDescription(),
                "correct it, then do the transaction again.");
    }
}
