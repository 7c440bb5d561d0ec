package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.UnsignedLong;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.End;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.ReceiverSettleMode;
import org.apache.qpid.proton.amqp.transport.Role;
import org.apache.qpid.proton.amqp.transport.SenderSettleMode;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Settle modes, sizes and small frames of links. Scripts of frames on a real broker. */
final class SettleModeTest {
    private static final AmqpLimits LIMITS = new AmqpLimits(4096, 8, 16, 1 << 20, 4 << 20, 10, 60_000);

    @TempDir
    Path folder;

    private TestServer server;
    private ScriptedPeer peer;

    @BeforeEach
    void start() throws IOException {
        server = new TestServer(folder, LIMITS);
        peer = server.open("client");
        peer.begin(0);
    }

    @AfterEach
    void stop() throws IOException {
        peer.close();
        server.close();
    }

    private Attach attachSender(ReceiverSettleMode mode) throws IOException {
        Target target = new Target();
        target.setAddress("q");
        Attach request = ScriptedPeer.senderAttach(0, target);
        request.setRcvSettleMode(mode);
        peer.send(0, request);
        Attach reply = peer.awaitBody(Attach.class);
        peer.await(Flow.class);
        return reply;
    }

    private static Transfer transfer(int id, int rcvSettleMode) {
        Transfer transfer = ScriptedPeer.transfer(0, id);
        transfer.setRcvSettleMode(rcvSettleMode == 0 ? ReceiverSettleMode.FIRST : ReceiverSettleMode.SECOND);
        return transfer;
    }

    private void publish(int... sizes) throws IOException {
        try (ScriptedPeer publisher = server.open("publisher")) {
            publisher.begin(0);
            publisher.attachSender(0, "q");
            for (int i = 0; i < sizes.length; i++) {
                byte[] body = new byte[sizes[i]];
                body[0] = (byte) i;
                publisher.send(0, ScriptedPeer.transfer(0, i), ScriptedPeer.durable(body));
                publisher.await(Disposition.class);
            }
        }
    }

    // ---- settle modes ----------------------------------------------------------------------------------------

    @Test
    @DisplayName("15: with rcv-settle-mode second a publish is answered unsettled, and settled by its sender")
    void receiverSettlesSecond() throws IOException {
        assertThat(attachSender(ReceiverSettleMode.SECOND).getRcvSettleMode()).isEqualTo(ReceiverSettleMode.SECOND);

        peer.send(0, ScriptedPeer.transfer(0, 0), ScriptedPeer.durable((byte) 1));

        Disposition answer = peer.awaitBody(Disposition.class);
        assertThat(answer.getSettled()).isFalse();
        assertThat(answer.getState()).isInstanceOf(Accepted.class);
    }

    @Test
    @DisplayName("14, 15: one transfer may ask for first on a link of mode second")
    void firstForOneTransfer() throws IOException {
        attachSender(ReceiverSettleMode.SECOND);

        peer.send(0, transfer(0, 0), ScriptedPeer.durable((byte) 1));

        assertThat(peer.awaitBody(Disposition.class).getSettled()).isTrue();
    }

    @Test
    @DisplayName("15: no transfer may ask for second on a link of mode first")
    void secondOnALinkOfFirst() throws IOException {
        attachSender(ReceiverSettleMode.FIRST);

        peer.send(0, transfer(0, 1), ScriptedPeer.durable((byte) 1));

        assertThat(peer.awaitBody(Detach.class).getError().getCondition().toString())
                .isEqualTo("amqp:invalid-field");
    }

    @Test
    @DisplayName("15: an outcome that the receiver leaves unsettled is settled by the broker, in one range")
    void consumerSettlesSecond() throws IOException {
        publish(1, 1, 1);
        Source source = new Source();
        source.setAddress("q");
        Attach request = ScriptedPeer.receiverAttach(0, source);
        request.setRcvSettleMode(ReceiverSettleMode.SECOND);
        peer.send(0, request);
        assertThat(peer.awaitBody(Attach.class).getRcvSettleMode()).isEqualTo(ReceiverSettleMode.SECOND);
        peer.credit(0, 0, 3, false);
        for (int i = 0; i < 3; i++) {
            peer.await(Transfer.class);
        }

        Disposition accepted = new Disposition();
        accepted.setRole(Role.RECEIVER);
        accepted.setFirst(UnsignedInteger.ZERO);
        accepted.setLast(UnsignedInteger.valueOf(2));
        accepted.setState(Accepted.getInstance());
        accepted.setBatchable(true);
        peer.send(0, accepted);

        Disposition settled = peer.awaitBody(Disposition.class);
        assertThat(settled.getRole()).isEqualTo(Role.SENDER);
        assertThat(settled.getSettled()).isTrue();
        assertThat(settled.getFirst().intValue()).isZero();
        assertThat(settled.getLast().intValue()).isEqualTo(2);
    }

    @Test
    @DisplayName("15: granted settle modes are echoed; a source never sends mixed")
    void grantedModes() throws IOException {
        Source source = new Source();
        source.setAddress("q");
        Attach request = ScriptedPeer.receiverAttach(0, source);
        request.setSndSettleMode(SenderSettleMode.MIXED);
        peer.send(0, request);
        assertThat(peer.awaitBody(Attach.class).getSndSettleMode()).isEqualTo(SenderSettleMode.UNSETTLED);
        request = ScriptedPeer.receiverAttach(1, source);
        request.setSndSettleMode(SenderSettleMode.SETTLED);
        peer.send(0, request);
        assertThat(peer.awaitBody(Attach.class).getSndSettleMode()).isEqualTo(SenderSettleMode.SETTLED);
    }

    @Test
    @DisplayName("14: a delivery-tag may be used again once its delivery is settled")
    void tagsAreReused() throws IOException {
        attachSender(ReceiverSettleMode.FIRST);
        for (int i = 0; i < 3; i++) {
            Transfer transfer = ScriptedPeer.transfer(0, i);
            transfer.setDeliveryTag(new Binary(new byte[] {1}));
            peer.send(0, transfer, ScriptedPeer.durable((byte) i));
            assertThat(peer.awaitBody(Disposition.class).getState()).isInstanceOf(Accepted.class);
        }
    }

    @Test
    @DisplayName("14: an aborted delivery leaves nothing, has no answer and uses up its credit")
    void aborted() throws IOException {
        attachSender(ReceiverSettleMode.FIRST);
        Transfer first = ScriptedPeer.transfer(0, 0);
        first.setMore(true);
        peer.send(0, first, ScriptedPeer.durable((byte) 1));
        Transfer abort = ScriptedPeer.transfer(0, 0);
        abort.setAborted(true);
        peer.send(0, abort);
        peer.send(0, ScriptedPeer.transfer(0, 1), ScriptedPeer.durable((byte) 2));

        Disposition answer = peer.awaitBody(Disposition.class);

        assertThat(answer.getFirst().intValue()).isEqualTo(1);
        peer.attachReceiver(1, "q");
        peer.credit(1, 0, 2, true);
        assertThat(ScriptedPeer.bodyOf(peer.await(Transfer.class).payload())).containsExactly(2);
        assertThat(peer.awaitBody(Flow.class).getDeliveryCount().intValue()).isEqualTo(2);
    }

    @Test
    @DisplayName("14: deliveries of two links may be interleaved frame by frame")
    void interleaved() throws IOException {
        peer.attachSender(0, "q");
        peer.await(Flow.class);
        peer.attachSender(1, "r");
        peer.await(Flow.class);
        byte[] message = ScriptedPeer.durable(new byte[100]);
        for (int handle = 0; handle < 2; handle++) {
            Transfer begin = ScriptedPeer.transfer(handle, handle);
            begin.setMore(true);
            peer.send(0, begin, Arrays.copyOf(message, 50));
        }
        for (int handle = 0; handle < 2; handle++) {
            Transfer end = new Transfer();
            end.setHandle(UnsignedInteger.valueOf(handle));
            peer.send(0, end, Arrays.copyOfRange(message, 50, message.length));
        }

        List<Integer> answered = new ArrayList<>();
        while (answered.size() < 2) {
            Disposition answer = peer.awaitBody(Disposition.class);
            int last = answer.getLast() == null
                    ? answer.getFirst().intValue()
                    : answer.getLast().intValue();
            for (int id = answer.getFirst().intValue(); id <= last; id++) {
                answered.add(id);
            }
        }
        assertThat(answered).containsExactly(0, 1);
    }

    // ---- sizes -----------------------------------------------------------------------------------------------

    @Test
    @DisplayName("[D-4]: a message above the receiver's max-message-size is skipped there and left for others")
    void largerThanTheReceiverTakes() throws IOException {
        publish(10, 1000, 20);
        Source source = new Source();
        source.setAddress("q");
        Attach request = ScriptedPeer.receiverAttach(0, source);
        request.setMaxMessageSize(UnsignedLong.valueOf(500));
        peer.send(0, request);
        peer.awaitBody(Attach.class);

        peer.credit(0, 0, 5, true);

        assertThat(ScriptedPeer.bodyOf(peer.await(Transfer.class).payload())).hasSize(10);
        assertThat(ScriptedPeer.bodyOf(peer.await(Transfer.class).payload())).hasSize(20);
        assertThat(peer.awaitBody(Flow.class).getLinkCredit().intValue()).isZero();
        peer.attachReceiver(1, "q");
        peer.credit(1, 0, 1, false);
        assertThat(ScriptedPeer.bodyOf(peer.await(Transfer.class).payload())).hasSize(1000);
    }

    @Test
    @DisplayName("9: answers fit into frames of 512 bytes, whatever the peer has said of its own end")
    void smallFrames() throws IOException {
        try (ScriptedPeer small = new ScriptedPeer(server.address())) {
            small.open("small", open -> open.setMaxFrameSize(UnsignedInteger.valueOf(512)));
            small.begin(0);
            Target target = new Target();
            target.setAddress("q");
            Attach request = ScriptedPeer.senderAttach(0, target);
            Symbol[] outcomes = new Symbol[60];
            Arrays.fill(outcomes, Symbol.valueOf("amqp:accepted:list"));
            ((Source) request.getSource()).setOutcomes(outcomes);
            small.send(0, request);

            assertThat(((Target) small.awaitBody(Attach.class).getTarget()).getAddress())
                    .isEqualTo("q");
            small.await(Flow.class);

            small.attachReceiver(1, "/queues/" + "x".repeat(255) + "%zz");
            assertThat(small.awaitBody(Detach.class).getError().getCondition().toString())
                    .isEqualTo("amqp:invalid-field");
        }
    }

    @Test
    @DisplayName("9: an answer that cannot fit ends the session with frame-size-too-small")
    void answerTooLarge() throws IOException {
        try (ScriptedPeer small = new ScriptedPeer(server.address())) {
            small.open("small", open -> open.setMaxFrameSize(UnsignedInteger.valueOf(512)));
            small.begin(0);
            Source source = new Source();
            source.setAddress("q");
            Attach request = ScriptedPeer.receiverAttach(0, source);
            request.setName("n".repeat(600));
            small.send(0, request);

            assertThat(small.expect(End.class).getError().getCondition().toString())
                    .isEqualTo("amqp:frame-size-too-small");
        }
    }

    @Test
    @DisplayName("14: properties of the wrong type are a decode error, named")
    void wrongTypes() throws IOException {
        attachSender(ReceiverSettleMode.FIRST);
        byte[] subjectIsANumber = {0, 0x53, 0x73, (byte) 0xc0, 6, 4, 0x40, 0x40, 0x40, 0x52, 1};

        peer.send(0, ScriptedPeer.transfer(0, 0), subjectIsANumber);

        Detach detach = peer.awaitBody(Detach.class);
        assertThat(detach.getError().getCondition().toString()).isEqualTo("amqp:decode-error");
        assertThat(detach.getError().getDescription()).contains("subject");
    }
}
