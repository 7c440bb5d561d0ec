package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.mainstem.amqp.v1.wire.PerformativeCodec;
import io.mainstem.store.StoreConfig;
import io.mainstem.store.StoreState;
import io.mainstem.store.StoreUpkeep;
import io.mainstem.store.files.SmallDisk;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.AmqpValue;
import org.apache.qpid.proton.amqp.messaging.Properties;
import org.apache.qpid.proton.amqp.messaging.Rejected;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.transaction.Coordinator;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.DeliveryState;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Role;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A disk that fills up under a publisher on a socket [L-10]. */
final class FullDiskTest {
    private static final int MIB = 1 << 20;
    private static final int BODY_BYTES = 16 << 10;

    @TempDir
    Path folder;

    private final SmallDisk disk = new SmallDisk(16 * MIB);
    private TestServer server;

    @BeforeEach
    void start() throws IOException {
        server = open();
    }

    private TestServer open() throws IOException {
        StoreConfig config = new StoreConfig(
                folder, MIB, MIB, 512, 2, 64 * MIB, 2 * MIB, 200, 4 * MIB, 1, 1000, StoreUpkeep.defaults());
        return new TestServer(config, disk, AmqpLimits.DEFAULT);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    @DisplayName("a full disk holds publishers back, consuming goes on and frees it, publishing resumes by itself")
    void fullDisk() throws IOException {
        try (ScriptedPeer sender = server.open("sender");
                ScriptedPeer consumer = server.open("consumer")) {
            sender.begin(0);
            sender.attachSender(0, "q");
            List<Integer> accepted = new ArrayList<>();
            int sent = publishUntilHeldBack(sender, accepted);
            assertThat(accepted).isNotEmpty();
            assertThat(creditOf(sender, sent)).isZero();
            assertThat(blocked(sender, sent)).asString().contains("no space");

            try (ScriptedPeer another = server.open("another")) {
                another.begin(0);
                another.attachSender(0, "q");
                assertThat(blocked(another, 0)).asString().contains("no space");
            }

            consumeAll(consumer, accepted);
            await().atMost(Duration.ofMinutes(1)).until(() -> server.storeState() == StoreState.RUNNING);

            Flow again = sender.awaitBody(Flow.class);
            while (again.getLinkCredit().intValue() == 0) {
                again = sender.awaitBody(Flow.class);
            }
            assertThat((Object) again.getProperties()).hasToString("{mainstem:blocked=null}");
            publish(sender, sent);
            assertThat(sender.awaitBody(Disposition.class).getState()).isInstanceOf(Accepted.class);
        }
    }

    @Test
    @DisplayName("on a full disk a new management link is served: what is purged frees space, and publishing resumes")
    void managedOnAFullDisk() throws IOException {
        try (ScriptedPeer sender = server.open("sender");
                ScriptedPeer operator = server.open("operator")) {
            sender.begin(0);
            sender.attachSender(0, "q");
            int sent = publishUntilHeldBack(sender, new ArrayList<>());
            operator.begin(0);
            operator.send(0, management(ScriptedPeer.receiverAttach(1, new Source())));
            operator.await(Attach.class);
            operator.credit(1, 0, 10, false);

            operator.send(0, management(ScriptedPeer.senderAttach(0, new Target())));

            assertThat(operator.awaitBody(Flow.class).getLinkCredit().intValue())
                    .isPositive();
            operator.send(0, ScriptedPeer.transfer(0, 0), request("DELETE", "/queues/q/messages"));
            assertThat(statusOf(operator.await(Transfer.class).payload())).isEqualTo("200");
            operator.send(0, ScriptedPeer.transfer(0, 1), request("DELETE", "/queues/q"));
            assertThat(statusOf(operator.await(Transfer.class).payload())).isEqualTo("200");
            await().atMost(Duration.ofMinutes(1)).until(() -> server.storeState() == StoreState.RUNNING);
            Flow again = sender.awaitBody(Flow.class);
            while (again.getLinkCredit().intValue() == 0) {
                again = sender.awaitBody(Flow.class);
            }
            publish(sender, sent);
        }
    }

    @Test
    @DisplayName("on a full disk a new coordinator link gets credit: what consumes in transactions frees space, too")
    void consumedInATransaction() throws IOException {
        try (ScriptedPeer sender = server.open("sender");
                ScriptedPeer consumer = server.open("consumer")) {
            sender.begin(0);
            sender.attachSender(0, "q");
            publishUntilHeldBack(sender, new ArrayList<>());
            consumer.begin(0);

            consumer.send(0, ScriptedPeer.senderAttach(0, new Coordinator()));

            assertThat(consumer.awaitBody(Flow.class).getLinkCredit().intValue())
                    .isPositive();
        }
    }

    private static Attach management(Attach attach) {
        attach.setName("management");
        attach.setProperties(Map.of(Symbol.valueOf("paired"), true));
        ((Source) attach.getSource()).setAddress("/management");
        ((Target) attach.getTarget()).setAddress("/management");
        return attach;
    }

    private static byte[] request(String method, String path) {
        Properties properties = new Properties();
        properties.setMessageId("1");
        properties.setSubject(method);
        properties.setTo(path);
        properties.setReplyTo("$me");
        ByteBuf out = Unpooled.buffer();
        PerformativeCodec.ofThread().write(properties, out);
        PerformativeCodec.ofThread().write(new AmqpValue(null), out);
        return ByteBufUtil.getBytes(out);
    }

    private static String statusOf(byte[] response) {
        ByteBuf in = Unpooled.wrappedBuffer(response);
        while (in.isReadable()) {
            if (PerformativeCodec.ofThread().read(in, in.writerIndex()) instanceof Properties properties) {
                return properties.getSubject();
            }
        }
        throw new AssertionError("no properties in " + ByteBufUtil.hexDump(response));
    }

    @Test
    @DisplayName("a broker that was killed on a full disk starts there, and what it confirmed is consumed")
    void restartOnAFullDisk() throws IOException {
        List<Integer> accepted = new ArrayList<>();
        try (ScriptedPeer sender = server.open("sender")) {
            sender.begin(0);
            sender.attachSender(0, "q");
            publishUntilHeldBack(sender, accepted);
        }

        server.crash();
        server = open();

        try (ScriptedPeer consumer = server.open("consumer")) {
            consumeAll(consumer, accepted);
        }
    }

    /**
     * Sends durable messages one by one, each confirmed or at the very end refused, until no credit is left and none is
     * given; returns their number.
     */
    private int publishUntilHeldBack(ScriptedPeer sender, List<Integer> accepted) throws IOException {
        int sent = 0;
        int credit = creditOf(sender, sent);
        while (credit > 0 || server.storeState() == StoreState.RUNNING) {
            for (int given = credit; given > 0; given--) {
                publish(sender, sent);
                DeliveryState answer = sender.awaitBody(Disposition.class).getState();
                if (answer instanceof Rejected refused) {
                    assertThat(refused.getError().getCondition().toString()).isEqualTo("amqp:resource-limit-exceeded");
                    assertThat(server.storeState()).isEqualTo(StoreState.DISK_CRITICAL);
                } else {
                    assertThat(answer).isInstanceOf(Accepted.class);
                    accepted.add(sent);
                }
                sent++;
            }
            credit = creditOf(sender, sent);
        }
        return sent;
    }

    private static void publish(ScriptedPeer sender, int number) throws IOException {
        byte[] body = new byte[BODY_BYTES];
        body[0] = (byte) number;
        body[1] = (byte) (number >> 8);
        sender.send(0, ScriptedPeer.transfer(0, number), ScriptedPeer.durable(body));
    }

    /** Why the link on handle 0 gets no credit, by its next flow that says so. */
    private static Object blocked(ScriptedPeer sender, int sent) throws IOException {
        ask(sender, sent);
        Flow flow = sender.awaitBody(Flow.class);
        assertThat(flow.getLinkCredit().intValue()).isZero();
        return flow.getProperties().get(Symbol.valueOf(LinkState.BLOCKED));
    }

    /** What the link on handle 0 may still send, by the broker's answer or a flow on its way before. */
    private static int creditOf(ScriptedPeer sender, int sent) throws IOException {
        ask(sender, sent);
        Flow flow = sender.awaitBody(Flow.class);
        return flow.getDeliveryCount().intValue() + flow.getLinkCredit().intValue() - sent;
    }

    private static void ask(ScriptedPeer sender, int sent) throws IOException {
        Flow ask = ScriptedPeer.sessionFlow(2048);
        ask.setHandle(UnsignedInteger.ZERO);
        ask.setDeliveryCount(UnsignedInteger.valueOf(sent));
        ask.setLinkCredit(UnsignedInteger.ZERO);
        ask.setEcho(true);
        sender.send(0, ask);
    }

    private static void consumeAll(ScriptedPeer consumer, List<Integer> numbers) throws IOException {
        consumer.begin(0);
        consumer.attachReceiver(0, "q");
        for (int at = 0; at < numbers.size(); at++) {
            consumer.credit(0, at, 1, false);
            ScriptedPeer.Frame frame = consumer.await(Transfer.class);
            byte[] body = ScriptedPeer.bodyOf(frame.payload());
            assertThat((body[0] & 0xff) | (body[1] & 0xff) << 8).isEqualTo(numbers.get(at));
            Disposition accept = new Disposition();
            accept.setRole(Role.RECEIVER);
            accept.setFirst(((Transfer) frame.body()).getDeliveryId());
            accept.setSettled(true);
            accept.setState(Accepted.getInstance());
            consumer.send(0, accept);
        }
    }
}
