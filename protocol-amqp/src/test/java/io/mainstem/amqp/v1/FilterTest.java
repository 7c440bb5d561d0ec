package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.apache.qpid.proton.amqp.DescribedType;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnknownDescribedType;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.UnsignedLong;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.TerminusDurability;
import org.apache.qpid.proton.amqp.messaging.TerminusExpiryPolicy;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Receivers with filters, as scripts of frames on a real broker")
final class FilterTest {
    private static final AmqpLimits LIMITS = new AmqpLimits(4096, 8, 8, 1 << 20, 4 << 20, 10, 60_000);
    private static final Symbol QUEUE = Symbol.valueOf("queue");
    private static final Symbol TOPIC = Symbol.valueOf("topic");
    private static final Symbol KEY = Symbol.valueOf("any key");

    @TempDir
    Path folder;

    private TestServer server;
    private ScriptedPeer peer;
    private int sent;

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

    private static Source source(String address, Symbol kind, Object filter) {
        Source source = new Source();
        source.setAddress(address);
        source.setCapabilities(kind);
        source.setFilter(Map.of(KEY, filter));
        return source;
    }

    private static DescribedType selector(String text) {
        return new UnknownDescribedType(UnsignedLong.valueOf(0x0000468C00000004L), text);
    }

    private static DescribedType noLocal() {
        return new UnknownDescribedType(Symbol.valueOf("apache.org:no-local-filter:list"), "NoLocalFilter{}");
    }

    private Attach attach(int handle, Source source) throws IOException {
        peer.send(0, ScriptedPeer.receiverAttach(handle, source));
        return peer.awaitBody(Attach.class);
    }

    private static Map<?, ?> filters(Attach reply) {
        Map<?, ?> filters = ((Source) reply.getSource()).getFilter();
        return filters == null ? Map.of() : filters;
    }

    private void send(ScriptedPeer from, int handle, String to) throws IOException {
        from.send(0, ScriptedPeer.transfer(handle, sent++), ScriptedPeer.dataTo(to, (byte) sent));
        from.await(Disposition.class);
    }

    @Test
    @DisplayName("[J-5], [J-6]: an honoured filter is answered under its own key; the queue's other messages stay")
    void selectorOnQueue() throws IOException {
        peer.attachSender(0, "orders", QUEUE);
        send(peer, 0, "a");
        send(peer, 0, "b");

        Attach reply = attach(
                1,
                source(
                        "orders",
                        QUEUE,
                        new UnknownDescribedType(Symbol.valueOf("amqp:sql-filter"), "properties.to = 'b'")));

        assertThat(filters(reply).keySet()).hasToString("[any key]");
        peer.credit(1, 0, 5, true);
        assertThat(ScriptedPeer.bodyOf(peer.await(Transfer.class).payload())).containsExactly(2);
        assertThat(peer.await(Flow.class)).isNotNull();
        peer.attachReceiver(2, "orders", QUEUE);
        peer.credit(2, 0, 5, true);
        assertThat(ScriptedPeer.bodyOf(peer.await(Transfer.class).payload())).containsExactly(1);
    }

    @Test
    @DisplayName(
            "mapping 4.7: an invalid selector refuses the attach with invalid-field, the place and what was expected")
    void invalidSelector() throws IOException {
        Attach reply = attach(1, source("orders", QUEUE, selector("a = ")));

        assertThat(reply.getSource()).isNull();
        Detach detach = peer.awaitBody(Detach.class);
        assertThat(detach.getError().getCondition().toString()).isEqualTo("amqp:invalid-field");
        assertThat(detach.getError().getDescription())
                .contains("MS-0350")
                .contains("character 5")
                .contains("expected a value or a name");
    }

    @Test
    @DisplayName("[J-5]: a filter nobody knows, and no-local on a queue, are not answered")
    void notHonoured() throws IOException {
        DescribedType unknown = new UnknownDescribedType(Symbol.valueOf("rabbitmq:stream-filter"), "x");
        assertThat(filters(attach(1, source("orders", QUEUE, unknown)))).isEmpty();
        assertThat(filters(attach(2, source("orders", QUEUE, noLocal())))).isEmpty();
    }

    @Test
    @DisplayName("[S-11] no-local on a topic: nothing of the own container enters the subscription")
    void noLocalOnTopic() throws IOException {
        assertThat(filters(attach(1, source("news", TOPIC, noLocal())))).hasSize(1);
        peer.attachSender(0, "news", TOPIC);
        send(peer, 0, "own");
        try (ScriptedPeer other = server.open("another")) {
            other.begin(0);
            other.attachSender(0, "news", TOPIC);
            send(other, 0, "theirs");
        }

        peer.credit(1, 0, 5, false);

        assertThat(ScriptedPeer.bodyOf(peer.await(Transfer.class).payload())).containsExactly(2);
    }

    @Test
    @DisplayName(
            "[S-11], [S-2]: a durable subscription keeps its selector; with another one it is made anew; look-up tells it")
    void durableSubscription() throws IOException {
        assertThat(durable(1, "p.to = 'a'")).isNotNull();
        peer.attachSender(0, "news", TOPIC);
        send(peer, 0, "a");
        send(peer, 0, "b");
        detach(1);

        Attach look = ScriptedPeer.receiverAttach(2, null);
        look.setName("sub");
        peer.send(0, look);
        assertThat(filters(peer.awaitBody(Attach.class)).values().iterator().next())
                .isInstanceOfSatisfying(
                        DescribedType.class,
                        filter -> assertThat(filter.getDescribed()).isEqualTo("p.to = 'a'"));
        detach(2);

        durable(3, "p.to = 'a'");
        peer.credit(3, 0, 1, false);
        assertThat(ScriptedPeer.bodyOf(peer.await(Transfer.class).payload())).containsExactly(1);
        detach(3);
        durable(4, "p.to = 'b'");
        peer.credit(4, 0, 5, true);
        assertThat(peer.read().body()).isInstanceOf(Flow.class);
        send(peer, 0, "b");
        peer.credit(4, 5, 5, false);
        assertThat(ScriptedPeer.bodyOf(peer.await(Transfer.class).payload())).containsExactly(3);
    }

    private Attach durable(int handle, String sql) throws IOException {
        Source source = source("news", TOPIC, new UnknownDescribedType(Symbol.valueOf("amqp:sql-filter"), sql));
        source.setDurable(TerminusDurability.UNSETTLED_STATE);
        source.setExpiryPolicy(TerminusExpiryPolicy.NEVER);
        Attach request = ScriptedPeer.receiverAttach(handle, source);
        request.setName("sub");
        peer.send(0, request);
        return peer.awaitBody(Attach.class);
    }

    private void detach(int handle) throws IOException {
        Detach detach = new Detach();
        detach.setHandle(UnsignedInteger.valueOf(handle));
        detach.setClosed(false);
        peer.send(0, detach);
        peer.awaitBody(Detach.class);
    }

    @Test
    @DisplayName("rabbitmq:priority: the link with the higher one first, while it has credit; no int is refused")
    void consumerPriority() throws IOException {
        Attach low = ScriptedPeer.receiverAttach(1, source("orders", QUEUE, selector("")));
        Attach high = ScriptedPeer.receiverAttach(2, source("orders", QUEUE, selector("")));
        high.setProperties(Map.of(Symbol.valueOf("rabbitmq:priority"), 5));
        peer.send(0, low);
        peer.awaitBody(Attach.class);
        peer.credit(1, 0, 10, false);
        peer.send(0, high);
        peer.awaitBody(Attach.class);
        peer.credit(2, 0, 1, false);
        peer.attachSender(0, "orders", QUEUE);
        peer.send(0, ScriptedPeer.transfer(0, 0), ScriptedPeer.durable((byte) 1));
        assertThat(peer.awaitBody(Transfer.class).getHandle().intValue()).isEqualTo(2);
        peer.send(0, ScriptedPeer.transfer(0, 1), ScriptedPeer.durable((byte) 2));
        assertThat(peer.awaitBody(Transfer.class).getHandle().intValue()).isEqualTo(1);

        Attach wrong = ScriptedPeer.receiverAttach(3, source("orders", QUEUE, selector("")));
        wrong.setProperties(Map.of(Symbol.valueOf("rabbitmq:priority"), "high"));
        peer.send(0, wrong);
        assertThat(peer.awaitBody(Attach.class).getSource()).isNull();
        assertThat(peer.awaitBody(Detach.class).getError().getDescription()).contains("MS-0521");
    }

    @Test
    @DisplayName(
            "rabbitmq:priority: the link with the higher one gets all that comes in one write, as far as its credit goes")
    void consumerPriorityOfABatch() throws IOException {
        for (int handle = 1; handle <= 2; handle++) {
            Attach receiver = ScriptedPeer.receiverAttach(handle, source("orders", QUEUE, selector("")));
            receiver.setProperties(Map.of(Symbol.valueOf("rabbitmq:priority"), handle == 1 ? 1 : 5));
            peer.send(0, receiver);
            peer.awaitBody(Attach.class);
            peer.credit(handle, 0, handle == 1 ? 1000 : 8, false);
        }
        peer.attachSender(0, "orders", QUEUE);
        ByteArrayOutputStream write = new ByteArrayOutputStream();
        for (int number = 0; number < 10; number++) {
            write.write(peer.frame(0, ScriptedPeer.transfer(0, number), ScriptedPeer.durable((byte) number)));
        }
        peer.bytes(write.toByteArray());

        Map<Integer, Integer> got = new TreeMap<>();
        for (int number = 0; number < 10; number++) {
            got.merge(peer.awaitBody(Transfer.class).getHandle().intValue(), 1, Integer::sum);
        }
        assertThat(got).isEqualTo(Map.of(1, 2, 2, 8));
    }
}
