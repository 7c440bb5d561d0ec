package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedByte;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.UnsignedShort;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.security.SaslCode;
import org.apache.qpid.proton.amqp.security.SaslInit;
import org.apache.qpid.proton.amqp.security.SaslMechanisms;
import org.apache.qpid.proton.amqp.security.SaslOutcome;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Begin;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Open;
import org.apache.qpid.proton.amqp.transport.Role;
import org.apache.qpid.proton.amqp.transport.SenderSettleMode;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What is legal on the wire but seldom seen, frame by frame. */
@WithBroker
final class WireTest {
    /** An amqp-value section with null in it. */
    private static final byte[] NULL_MESSAGE = {0, 0x53, 0x77, 0x40};

    private final BrokerAddress broker;

    WireTest(BrokerAddress broker) {
        this.broker = broker;
    }

    @Test
    @DisplayName("an aborted delivery leaves no trace, the next one is accepted [wire b14]")
    void abortedDelivery() throws IOException {
        try (RawPeer peer = new RawPeer(broker)) {
            attachSender(peer, Jms.uniqueName("aborted"));
            Transfer begun = RawFrames.transfer(0, 0);
            begun.setMore(true);
            peer.send(peer.frame(0, begun, NULL_MESSAGE));
            Transfer aborted = RawFrames.transfer(0, 0);
            aborted.setAborted(true);
            peer.send(peer.frame(0, aborted, new byte[0]));
            peer.send(peer.frame(0, RawFrames.transfer(0, 1), NULL_MESSAGE));

            Disposition disposition = peer.readUntil(Disposition.class);
            assertThat(disposition.getFirst().intValue()).isEqualTo(1);
            assertThat(disposition.getState()).isInstanceOf(Accepted.class);
        }
    }

    @Test
    @DisplayName("dispositions of deliveries that never were are ignored [wire b15]")
    void dispositionOfUnknownDeliveries() throws IOException {
        try (RawPeer peer = new RawPeer(broker)) {
            attachSender(peer, Jms.uniqueName("unknown"));
            Disposition disposition = new Disposition();
            disposition.setRole(Role.RECEIVER);
            disposition.setFirst(UnsignedInteger.valueOf(1000));
            disposition.setLast(UnsignedInteger.valueOf(2000));
            disposition.setSettled(true);
            disposition.setState(Accepted.getInstance());
            peer.send(peer.frame(0, disposition, new byte[0]));

            assertAccepts(peer, 0);
        }
    }

    @Test
    @DisplayName("no more transfers come than the session's incoming window [wire b8]")
    void sessionWindow() throws IOException {
        String address = Jms.uniqueName("window");
        try (RawPeer peer = new RawPeer(broker)) {
            attachSender(peer, address);
            for (int i = 0; i < 3; i++) {
                assertAccepts(peer, i);
            }
        }
        try (RawPeer peer = new RawPeer(broker)) {
            peer.open();
            Begin begin = RawFrames.begin();
            begin.setIncomingWindow(UnsignedInteger.ONE);
            peer.begin(begin);
            peer.attach(receiverAttach(address));
            peer.send(peer.frame(0, flow(0, 1, false), new byte[0]));
            peer.readUntil(Transfer.class);
            // A second transfer, if there were one, would come before the answer to this.
            peer.send(peer.frame(0, flow(1, 0, true), new byte[0]));
            assertThat(peer.read()).isInstanceOf(Flow.class);
            peer.send(peer.frame(0, flow(1, 2, false), new byte[0]));

            assertThat(peer.readUntil(Transfer.class).getDeliveryId().intValue())
                    .isEqualTo(1);
            assertThat(peer.readUntil(Transfer.class).getDeliveryId().intValue())
                    .isEqualTo(2);
        }
    }

    @Test
    void theSmallestFrameSizeWorks() throws IOException {
        String address = Jms.uniqueName("small");
        try (RawPeer peer = new RawPeer(broker)) {
            Open open = new Open();
            open.setContainerId("small-frames");
            open.setMaxFrameSize(UnsignedInteger.valueOf(512));
            peer.open(open);
            peer.begin(RawFrames.begin());
            peer.attach(RawFrames.senderAttach(address));
            peer.readUntil(Flow.class);
            byte[] message = new byte[3000];
            System.arraycopy(new byte[] {0, 0x53, 0x75, (byte) 0xb0, 0, 0, 0x0b, (byte) 0xb0}, 0, message, 0, 8);
            peer.send(peer.frame(0, RawFrames.transfer(0, 0), message));
            peer.readUntil(Disposition.class);
            Attach attach = receiverAttach(address);
            attach.setHandle(UnsignedInteger.ONE);
            peer.attach(attach);
            Flow flow = flow(0, 100, false);
            flow.setHandle(UnsignedInteger.ONE);
            peer.send(peer.frame(0, flow, new byte[0]));

            int frames = 1;
            Transfer transfer = peer.readUntil(Transfer.class);
            while (transfer.getMore()) {
                transfer = peer.readUntil(Transfer.class);
                frames++;
            }
            assertThat(frames).isGreaterThanOrEqualTo(6);
        }
    }

    @Test
    @DisplayName("open answers a channel number of its own choice; sessions may use any channel up to the limit")
    void anyChannel() throws IOException {
        try (RawPeer peer = new RawPeer(broker)) {
            int last = peer.open().getChannelMax().intValue();
            peer.send(peer.frame(last, RawFrames.begin(), new byte[0]));

            assertThat(peer.readUntil(Begin.class).getRemoteChannel()).isEqualTo(UnsignedShort.valueOf((short) last));
        }
    }

    @Test
    @DisplayName("SASL PLAIN is offered and, as long as no authentication is configured, welcome [wire b2]")
    void saslPlain() throws IOException {
        assertThat(sasl("PLAIN", "\0user\0password")).isEqualTo(SaslCode.OK.getValue());
    }

    @Test
    @DisplayName("an unknown SASL mechanism is answered with auth, then the connection is closed [wire b2]")
    void saslUnknownMechanism() throws IOException {
        assertThat(sasl("X-UNHEARD-OF", "")).isEqualTo(SaslCode.AUTH.getValue());
    }

    private UnsignedByte sasl(String mechanism, String response) throws IOException {
        try (RawPeer peer = new RawPeer(broker)) {
            peer.send(RawPeer.SASL_HEADER);
            peer.readHeader();
            assertThat(peer.readUntil(SaslMechanisms.class).getSaslServerMechanisms())
                    .contains(Symbol.valueOf("PLAIN"), Symbol.valueOf("ANONYMOUS"));
            SaslInit init = new SaslInit();
            init.setMechanism(Symbol.valueOf(mechanism));
            init.setInitialResponse(new Binary(response.getBytes(StandardCharsets.UTF_8)));
            peer.send(peer.saslFrame(init));
            SaslCode code = peer.readUntil(SaslOutcome.class).getCode();
            if (code != SaslCode.OK) {
                peer.readToEnd();
            }
            return code.getValue();
        }
    }

    private static void attachSender(RawPeer peer, String address) throws IOException {
        peer.open();
        peer.begin(RawFrames.begin());
        peer.attach(RawFrames.senderAttach(address));
        peer.readUntil(Flow.class);
    }

    private static void assertAccepts(RawPeer peer, int deliveryId) throws IOException {
        peer.send(peer.frame(0, RawFrames.transfer(0, deliveryId), NULL_MESSAGE));
        Disposition disposition = peer.readUntil(Disposition.class);
        assertThat(disposition.getFirst().intValue()).isEqualTo(deliveryId);
        assertThat(disposition.getState()).isInstanceOf(Accepted.class);
    }

    private static Attach receiverAttach(String address) {
        Attach attach = new Attach();
        attach.setName("raw-receiver");
        attach.setHandle(UnsignedInteger.ZERO);
        attach.setRole(Role.RECEIVER);
        attach.setSndSettleMode(SenderSettleMode.UNSETTLED);
        Source source = new Source();
        source.setAddress(address);
        attach.setSource(source);
        attach.setTarget(new Target());
        return attach;
    }

    /**
     * A flow of ten credits from the start of link 0.
     *
     * @param nextIncomingId transfers seen so far
     */
    private static Flow flow(int nextIncomingId, int incomingWindow, boolean echo) {
        Flow flow = new Flow();
        flow.setNextIncomingId(UnsignedInteger.valueOf(nextIncomingId));
        flow.setIncomingWindow(UnsignedInteger.valueOf(incomingWindow));
        flow.setNextOutgoingId(UnsignedInteger.ZERO);
        flow.setOutgoingWindow(UnsignedInteger.valueOf(2048));
        flow.setHandle(UnsignedInteger.ZERO);
        flow.setDeliveryCount(UnsignedInteger.ZERO);
        flow.setLinkCredit(UnsignedInteger.valueOf(10));
        flow.setEcho(echo);
        return flow;
    }
}
