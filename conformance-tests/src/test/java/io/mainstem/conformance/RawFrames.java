package io.mainstem.conformance;

import java.io.IOException;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Begin;
import org.apache.qpid.proton.amqp.transport.Close;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.End;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.apache.qpid.proton.amqp.transport.ReceiverSettleMode;
import org.apache.qpid.proton.amqp.transport.Role;
import org.apache.qpid.proton.amqp.transport.SenderSettleMode;
import org.apache.qpid.proton.amqp.transport.Transfer;

/** The performatives that tests with a {@link RawPeer} begin with, and the errors they end with. */
final class RawFrames {
    private RawFrames() {}

    static Begin begin() {
        Begin begin = new Begin();
        begin.setNextOutgoingId(UnsignedInteger.ZERO);
        begin.setIncomingWindow(UnsignedInteger.valueOf(2048));
        begin.setOutgoingWindow(UnsignedInteger.valueOf(2048));
        return begin;
    }

    /** A sender on handle 0. */
    static Attach senderAttach(String address) {
        Attach attach = new Attach();
        attach.setName("raw-sender");
        attach.setHandle(UnsignedInteger.ZERO);
        attach.setRole(Role.SENDER);
        attach.setSndSettleMode(SenderSettleMode.UNSETTLED);
        attach.setRcvSettleMode(ReceiverSettleMode.FIRST);
        attach.setSource(new Source());
        Target target = new Target();
        target.setAddress(address);
        attach.setTarget(target);
        attach.setInitialDeliveryCount(UnsignedInteger.ZERO);
        return attach;
    }

    /** The first transfer of a delivery. */
    static Transfer transfer(int handle, int deliveryId) {
        Transfer transfer = new Transfer();
        transfer.setHandle(UnsignedInteger.valueOf(handle));
        transfer.setDeliveryId(UnsignedInteger.valueOf(deliveryId));
        transfer.setDeliveryTag(new Binary(new byte[] {(byte) (deliveryId >> 8), (byte) deliveryId}));
        transfer.setMessageFormat(UnsignedInteger.ZERO);
        return transfer;
    }

    /** The condition of the close that must come. */
    static String closeOf(RawPeer peer) throws IOException {
        return conditionOf(peer.readUntil(Close.class).getError());
    }

    /** The condition of the first detach, end or close. */
    static String errorOf(RawPeer peer) throws IOException {
        for (Object next = peer.read(); next != RawPeer.Closed.CLOSED; next = peer.read()) {
            if (next instanceof Detach detach) {
                return conditionOf(detach.getError());
            }
            if (next instanceof End end) {
                return conditionOf(end.getError());
            }
            if (next instanceof Close close) {
                return conditionOf(close.getError());
            }
        }
        throw new AssertionError("the connection ended without an error");
    }

    private static String conditionOf(ErrorCondition error) {
        return error == null ? "none" : String.valueOf(error.getCondition());
    }
}
