package io.mainstem.jms.amqp;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.jms.amqp.engine.RangedTransport;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.Released;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.FrameBody;
import org.apache.qpid.proton.codec.ReadableBuffer;
import org.apache.qpid.proton.engine.Connection;
import org.apache.qpid.proton.engine.Delivery;
import org.apache.qpid.proton.engine.EndpointState;
import org.apache.qpid.proton.engine.Receiver;
import org.apache.qpid.proton.engine.Sender;
import org.apache.qpid.proton.engine.Session;
import org.apache.qpid.proton.engine.Transport;
import org.apache.qpid.proton.engine.impl.ProtocolTracer;
import org.apache.qpid.proton.engine.impl.TransportImpl;
import org.apache.qpid.proton.framing.TransportFrame;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Dispositions of the client's engine, as proton-j's own engine at the other end sees them. */
class RangedTransportTest {
    private static final EnumSet<EndpointState> UNOPENED = EnumSet.of(EndpointState.UNINITIALIZED);
    private static final EnumSet<EndpointState> OPEN = EnumSet.of(EndpointState.ACTIVE);

    private final Connection client = Connection.Factory.create();
    private final Connection broker = Connection.Factory.create();
    private final RangedTransport clientTransport = new RangedTransport(null);
    private final TransportImpl brokerTransport = new TransportImpl();
    private final List<String> frames = new ArrayList<>();
    private final Deque<Delivery> arrived = new ArrayDeque<>();
    private Receiver receiver;
    private Sender sender;

    @BeforeEach
    void attach() {
        clientTransport.bind(client);
        brokerTransport.bind(broker);
        client.open();
        broker.open();
        Session clientSession = client.session();
        clientSession.open();
        receiver = clientSession.receiver("link");
        receiver.open();
        receiver.flow(100);
        pump();
        broker.sessionHead(UNOPENED, OPEN).open();
        sender = (Sender) broker.linkHead(UNOPENED, OPEN);
        sender.open();
        pump();
        brokerTransport.setProtocolTracer(new ProtocolTracer() {
            @Override
            public void receivedFrame(TransportFrame frame) {
                frames.add(told(frame.getBody()));
            }

            @Override
            public void sentFrame(TransportFrame frame) {
                // Only what the client writes is looked at.
            }
        });
    }

    private static String told(FrameBody body) {
        return body instanceof Disposition disposition
                ? disposition.getFirst() + "-" + disposition.getLast() + " "
                        + disposition.getState().getClass().getSimpleName()
                : body.getClass().getSimpleName();
    }

    private void pump() {
        boolean moved = true;
        while (moved) {
            boolean asked = move(clientTransport, brokerTransport);
            boolean answered = move(brokerTransport, clientTransport);
            moved = asked || answered;
        }
    }

    private static boolean move(Transport from, Transport to) {
        int length = from.pending();
        if (length <= 0) {
            return false;
        }
        ByteBuffer head = from.head();
        length = head.remaining();
        to.tail().put(head);
        to.process();
        from.pop(length);
        return true;
    }

    private void deliver(int count) {
        for (int i = 0; i < count; i++) {
            sender.delivery(new byte[] {(byte) i});
            sender.sendNoCopy(ReadableBuffer.ByteBufferReader.wrap(new byte[] {1, 2, 3}));
            sender.advance();
        }
        pump();
        for (Delivery next = receiver.current(); next != null; next = receiver.current()) {
            receiver.recv();
            receiver.advance();
            arrived.add(next);
        }
        assertThat(arrived).hasSize(count);
    }

    private void settle(DeliveryState state) {
        Delivery delivery = arrived.remove();
        delivery.disposition(state);
        delivery.settle();
    }

    @Test
    @DisplayName("part 2, 2.7.6: one disposition covers a range of deliveries")
    void neighboursWithTheSameOutcomeShareAFrame() {
        deliver(5);
        for (int i = 0; i < 5; i++) {
            settle(Accepted.getInstance());
        }
        pump();
        assertThat(frames).containsExactly("0-4 Accepted");
    }

    @Test
    void anotherOutcomeOrAGapBeginsAnotherRange() {
        deliver(7);
        settle(Accepted.getInstance());
        settle(Accepted.getInstance());
        settle(Released.getInstance());
        settle(Accepted.getInstance());
        Delivery later = arrived.remove();
        settle(Accepted.getInstance());
        settle(Accepted.getInstance());
        later.disposition(Accepted.getInstance());
        later.settle();
        pump();
        assertThat(frames)
                .containsExactly("0-1 Accepted", "2-2 Released", "3-3 Accepted", "5-6 Accepted", "4-4 Accepted");
    }

    @Test
    void statesThatAreNotTheSameObjectAreNotJoined() {
        AmqpTransaction one = new AmqpTransaction(new Binary(new byte[] {1}), true);
        AmqpTransaction other = new AmqpTransaction(new Binary(new byte[] {2}), true);
        deliver(4);
        settle(one.state(Accepted.getInstance()));
        settle(one.state(Accepted.getInstance()));
        settle(other.state(Accepted.getInstance()));
        settle(other.state(Accepted.getInstance()));
        pump();
        assertThat(frames).containsExactly("0-1 TransactionalState", "2-3 TransactionalState");
    }

    @Test
    void whatIsWrittenAfterwardsIsNotOvertaken() {
        deliver(2);
        settle(Accepted.getInstance());
        settle(Accepted.getInstance());
        pump();
        receiver.close();
        pump();
        assertThat(frames).containsExactly("0-1 Accepted", "Detach");
    }
}
