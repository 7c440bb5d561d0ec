package io.mainstem.conformance;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.apache.qpid.proton.Proton;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnknownDescribedType;
import org.apache.qpid.proton.amqp.UnsignedLong;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.AmqpValue;
import org.apache.qpid.proton.amqp.transaction.Declare;
import org.apache.qpid.proton.amqp.transaction.Declared;
import org.apache.qpid.proton.amqp.transaction.Discharge;
import org.apache.qpid.proton.amqp.transaction.TransactionalState;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.apache.qpid.proton.engine.Delivery;
import org.apache.qpid.proton.engine.Sender;
import org.apache.qpid.proton.engine.Session;
import org.apache.qpid.proton.message.Message;

/** Declares and discharges transactions on one connection (AMQP 1.0 part 4). Thread: the peer's owner. */
final class TransactionController {
    private static final int REQUEST_BYTES_MAX = 1024;

    private final AmqpPeer peer;
    private final Sender coordinator;
    private long requests;

    TransactionController(AmqpPeer peer, Session session) throws IOException {
        this.peer = peer;
        this.coordinator = peer.coordinator(
                session, Symbol.valueOf("amqp:local-transactions"), Symbol.valueOf("amqp:distributed-transactions"));
    }

    Binary declare() throws IOException {
        return ((Declared) ask(new Declare())).getTxnId();
    }

    /** Declares a branch; proton's own Declare cannot carry an id of bytes. */
    Binary declare(Binary globalId) throws IOException {
        return ((Declared) ask(new UnknownDescribedType(UnsignedLong.valueOf(0x31), List.of(globalId)))).getTxnId();
    }

    DeliveryState prepare(Binary txnId) throws IOException {
        return request("prepare", List.of(txnId));
    }

    DeliveryState decide(Binary globalId, boolean commit) throws IOException {
        return request(commit ? "commit" : "rollback", List.of(globalId));
    }

    /** {@code Declared} with the next prepared branch, or {@code Accepted}. */
    DeliveryState recover(Binary after) throws IOException {
        return request("recover", after == null ? List.of() : List.of(after));
    }

    private DeliveryState request(String verb, List<Binary> fields) throws IOException {
        return ask(new UnknownDescribedType(Symbol.valueOf("mainstem:" + verb + ":list"), fields));
    }

    /** The outcome of a discharge. */
    DeliveryState discharge(Binary id, boolean fail) throws IOException {
        Discharge discharge = new Discharge();
        discharge.setTxnId(id);
        discharge.setFail(fail);
        return ask(discharge);
    }

    /** The outcome of any request. */
    DeliveryState ask(Object request) throws IOException {
        return peer.ask(coordinator, ++requests, encode(request));
    }

    /** Sends a message within a transaction. */
    static void send(Sender sender, long tag, byte[] encoded, Binary id) {
        TransactionalState state = new TransactionalState();
        state.setTxnId(id);
        AmqpPeer.send(sender, tag, encoded, state);
    }

    /** Accepts a delivery within a transaction. */
    static void accept(Delivery delivery, Binary id) {
        TransactionalState state = new TransactionalState();
        state.setTxnId(id);
        state.setOutcome(Accepted.getInstance());
        delivery.disposition(state);
        delivery.settle();
    }

    private static byte[] encode(Object request) {
        Message message = Proton.message();
        message.setBody(new AmqpValue(request));
        byte[] bytes = new byte[REQUEST_BYTES_MAX];
        return Arrays.copyOf(bytes, message.encode(bytes, 0, bytes.length));
    }
}
