package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.Rejected;
import org.apache.qpid.proton.amqp.messaging.Released;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.transaction.TransactionalState;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.ErrorCondition;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Role;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What publishers hear when their node is full or gone, and consumers when it is taken. Scripts on a real broker. */
final class PublisherRefusalTest {
    private TestServer server;
    private ScriptedPeer peer;

    @BeforeEach
    void start(@TempDir Path folder) throws IOException {
        server = new TestServer(folder);
        peer = server.open("client");
        peer.begin(0);
    }

    @AfterEach
    void stop() throws IOException {
        peer.close();
        server.close();
    }

    @Test
    @DisplayName(
            "29: the queue of a publishing link is deleted: the message is released, the link detached with the reason")
    void queueDeleted() throws IOException {
        peer.attachSender(0, "q");
        server.deleteQueue("q");

        peer.send(0, ScriptedPeer.transfer(0, 0), ScriptedPeer.durable((byte) 1));

        assertThat(peer.awaitBody(Disposition.class).getState()).isInstanceOf(Released.class);
        Detach detach = peer.awaitBody(Detach.class);
        assertThat(detach.getClosed()).isTrue();
        assertThat(detach.getError().getCondition().toString()).isEqualTo("amqp:resource-deleted");
        assertThat(detach.getError().getDescription()).contains("MS-0555").contains("queue 'q'");
    }

    @Test
    @DisplayName("29: the exchange of a publishing link is deleted: the message is released, the link detached, too")
    void exchangeDeleted() throws IOException {
        server.exchange("x", true);
        peer.attachSender(0, "/exchanges/x/key");
        server.exchange("x", false);

        peer.send(0, ScriptedPeer.transfer(0, 0), ScriptedPeer.durable((byte) 1));

        assertThat(peer.awaitBody(Disposition.class).getState()).isInstanceOf(Released.class);
        assertThat(peer.awaitBody(Detach.class).getError().getDescription())
                .contains("MS-0555")
                .contains("exchange 'x'");
    }

    @Test
    @DisplayName("29: the exchange of a presettled publisher is deleted: the link is detached with that reason")
    void exchangeDeletedUnderPresettled() throws IOException {
        server.exchange("x", true);
        peer.attachSender(0, "/exchanges/x/key");
        server.exchange("x", false);
        Transfer transfer = ScriptedPeer.transfer(0, 0);
        transfer.setSettled(true);

        peer.send(0, transfer, ScriptedPeer.data((byte) 1));

        assertThat(peer.awaitBody(Detach.class).getError().getCondition().toString())
                .isEqualTo("amqp:resource-deleted");
    }

    // ---- outcomes that the source does not take --------------------------------------------------------------

    private static final Symbol DELIVERY_TAG = Symbol.valueOf("delivery-tag");

    /** A sender whose source takes these only. */
    private void attachTaking(@Nullable String address, Symbol... outcomes) throws IOException {
        Target target = new Target();
        target.setAddress(address);
        Attach attach = ScriptedPeer.senderAttach(0, target);
        ((Source) attach.getSource()).setOutcomes(outcomes);
        peer.send(0, attach);
        peer.await(Attach.class);
        peer.await(Flow.class);
    }

    private void assertDetachedFor(int delivery, String condition) throws IOException {
        Object answer = peer.read().body();
        assertThat(answer).isInstanceOf(Detach.class);
        ErrorCondition error = ((Detach) answer).getError();
        assertThat(error.getCondition().toString()).isEqualTo(condition);
        assertThat((Object) error.getInfo())
                .isEqualTo(
                        Map.of(DELIVERY_TAG, ScriptedPeer.transfer(0, delivery).getDeliveryTag()));
    }

    @Test
    @DisplayName(
            "3.5.3: a full queue, and a source that cannot take rejected: the link is detached, naming the delivery")
    void fullWithoutRejected() throws IOException {
        server.declareQueue("q", Map.of("x-max-length", 1L, "x-overflow", "reject-publish"));
        attachTaking("q", Accepted.DESCRIPTOR_SYMBOL, Released.DESCRIPTOR_SYMBOL);
        peer.send(0, ScriptedPeer.transfer(0, 0), ScriptedPeer.durable((byte) 1));
        peer.await(Disposition.class);

        peer.send(0, ScriptedPeer.transfer(0, 1), ScriptedPeer.durable((byte) 2));

        assertDetachedFor(1, "amqp:resource-limit-exceeded");
    }

    @Test
    @DisplayName("3.5.3: a bad 'to', and a source that cannot take rejected: the link is detached, naming the delivery")
    void badAddressWithoutRejected() throws IOException {
        attachTaking(null, Accepted.DESCRIPTOR_SYMBOL);

        peer.send(0, ScriptedPeer.transfer(0, 0), ScriptedPeer.dataTo("/queues/missing", (byte) 1));

        assertDetachedFor(0, "amqp:not-found");
    }

    @Test
    @DisplayName("3.5.3: no route, and a source that cannot take released: the link is detached, naming the delivery")
    void noRouteWithoutReleased() throws IOException {
        attachTaking("/exchanges/amq.fanout", Accepted.DESCRIPTOR_SYMBOL, Rejected.DESCRIPTOR_SYMBOL);

        peer.send(0, ScriptedPeer.transfer(0, 0), ScriptedPeer.durable((byte) 1));

        assertDetachedFor(0, "amqp:not-found");
    }

    @Test
    @DisplayName(
            "3.5.3: an unknown txn-id, and a source that cannot take rejected: the link is detached, naming the delivery")
    void unknownTransactionWithoutRejected() throws IOException {
        attachTaking("q", Accepted.DESCRIPTOR_SYMBOL);
        TransactionalState state = new TransactionalState();
        state.setTxnId(new Binary(new byte[8]));
        Transfer posting = ScriptedPeer.transfer(0, 0);
        posting.setState(state);

        peer.send(0, posting, ScriptedPeer.durable((byte) 1));

        assertDetachedFor(0, "amqp:transaction:unknown-id");
    }

    @Test
    @DisplayName("3.5.3: a source that takes rejected is told, whatever else it does not take")
    void rejectedIsTaken() throws IOException {
        attachTaking(null, Accepted.DESCRIPTOR_SYMBOL, Rejected.DESCRIPTOR_SYMBOL);

        peer.send(0, ScriptedPeer.transfer(0, 0), ScriptedPeer.dataTo("/queues/missing", (byte) 1));

        assertThat(peer.awaitBody(Disposition.class).getState()).isInstanceOf(Rejected.class);
    }

    @Test
    @DisplayName("29: a presettled publisher is detached, too")
    void queueDeletedUnderPresettled() throws IOException {
        peer.attachSender(0, "q");
        server.deleteQueue("q");
        Transfer transfer = ScriptedPeer.transfer(0, 0);
        transfer.setSettled(true);

        peer.send(0, transfer, ScriptedPeer.data((byte) 1));

        assertThat(peer.awaitBody(Detach.class).getError().getCondition().toString())
                .isEqualTo("amqp:resource-deleted");
    }

    @Test
    @DisplayName("[J-2]: a link to an exchange stays attached when nothing is bound")
    void unroutable() throws IOException {
        peer.attachSender(0, "/exchanges/amq.fanout");

        peer.send(0, ScriptedPeer.transfer(0, 0), ScriptedPeer.durable((byte) 1));
        assertThat(peer.awaitBody(Disposition.class).getState()).isInstanceOf(Released.class);

        peer.send(0, ScriptedPeer.transfer(0, 1), ScriptedPeer.durable((byte) 1));
        assertThat(peer.awaitBody(Disposition.class).getState()).isInstanceOf(Released.class);
    }

    @Test
    @DisplayName("[mapping 5.4]: a full queue rejects with its name and the reason maxlen in the info")
    void fullQueue() throws IOException {
        server.declareQueue("q", Map.of("x-max-length", 1L, "x-overflow", "reject-publish"));
        peer.attachSender(0, "q");
        peer.send(0, ScriptedPeer.transfer(0, 0), ScriptedPeer.durable((byte) 1));
        peer.await(Disposition.class);

        peer.send(0, ScriptedPeer.transfer(0, 1), ScriptedPeer.durable((byte) 2));

        Rejected rejected = (Rejected) peer.awaitBody(Disposition.class).getState();
        assertThat(rejected.getError().getCondition().toString()).isEqualTo("amqp:resource-limit-exceeded");
        assertThat((Object) rejected.getError().getInfo())
                .isEqualTo(Map.of(Symbol.valueOf("queue"), "q", Symbol.valueOf("reason"), "maxlen"));
    }

    @Test
    @DisplayName("15: the settling disposition leaves out an outcome that does not fit the peer's frames")
    void hugeOutcome() throws IOException {
        peer.close();
        peer = new ScriptedPeer(server.address());
        peer.open("client", open -> open.setMaxFrameSize(UnsignedInteger.valueOf(512)));
        peer.begin(0);
        peer.attachReceiver(0, "q");
        try (ScriptedPeer publisher = server.open("publisher")) {
            publisher.begin(0);
            publisher.attachSender(0, "q");
            publisher.send(0, ScriptedPeer.transfer(0, 0), ScriptedPeer.durable((byte) 1));
            publisher.await(Disposition.class);
        }
        peer.credit(0, 0, 1, false);
        Transfer delivery = (Transfer) peer.await(Transfer.class).body();
        Rejected rejected = new Rejected();
        rejected.setError(new ErrorCondition(Symbol.valueOf("app:wrong"), "x".repeat(5_000)));
        Disposition unsettled = new Disposition();
        unsettled.setRole(Role.RECEIVER);
        unsettled.setFirst(delivery.getDeliveryId());
        unsettled.setState(rejected);

        peer.send(0, unsettled);

        Disposition settled = peer.awaitBody(Disposition.class);
        assertThat(settled.getSettled()).isTrue();
        assertThat(settled.getState()).isNull();
    }

    @Test
    @DisplayName(
            "mainstem:exclusive: others are refused with resource-locked while it is attached; no boolean is refused")
    void exclusiveConsumer() throws IOException {
        Attach alone = receiver(0, true);
        peer.send(0, alone);
        assertThat(peer.awaitBody(Attach.class).getSource()).isNotNull();

        peer.send(0, receiver(1, false));
        assertThat(peer.awaitBody(Attach.class).getSource()).isNull();
        assertThat(peer.awaitBody(Detach.class).getError().getCondition().toString())
                .isEqualTo("amqp:resource-locked");

        Detach close = new Detach();
        close.setHandle(UnsignedInteger.ZERO);
        close.setClosed(true);
        peer.send(0, close);
        peer.await(Detach.class);
        peer.send(0, receiver(2, false));
        assertThat(peer.awaitBody(Attach.class).getSource()).isNotNull();
        peer.send(0, receiver(3, "yes"));
        assertThat(peer.awaitBody(Attach.class).getSource()).isNull();
        assertThat(peer.awaitBody(Detach.class).getError().getDescription()).contains("MS-0521", "true or false");
    }

    private static Attach receiver(int handle, Object exclusive) {
        Source source = new Source();
        source.setAddress("q");
        Attach attach = ScriptedPeer.receiverAttach(handle, source);
        attach.setProperties(Map.of(Symbol.valueOf("mainstem:exclusive"), exclusive));
        return attach;
    }

    @Test
    @DisplayName("12: the peer of a consumer whose queue is deleted is told so")
    void queueDeletedUnderConsumer() throws IOException {
        peer.attachReceiver(0, "q");

        server.deleteQueue("q");

        assertThat(peer.awaitBody(Detach.class).getError().getCondition().toString())
                .isEqualTo("amqp:resource-deleted");
    }
}
