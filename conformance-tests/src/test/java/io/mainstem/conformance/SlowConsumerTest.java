package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.RawMqtt;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.apache.qpid.proton.engine.Delivery;
import org.apache.qpid.proton.engine.Receiver;
import org.apache.qpid.proton.engine.Sender;
import org.apache.qpid.proton.engine.Session;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A slow consumer harms nobody: not the broker's memory, not its neighbours, not its own messages. */
final class SlowConsumerTest {
    private static final String HEAP = "96m";
    private static final int BODY_BYTES = 100 << 10;
    private static final int BACKLOG = 2_000;
    private static final int SLOW_CONSUMERS = 20;
    private static final int MQTT_MESSAGES = 200;
    private static final String FILLER = "x".repeat(BODY_BYTES);

    @TempDir
    Path folder;

    @Test
    @DisplayName("consumers that ask for 200 MB and read nothing leave a heap of 96 MB alone")
    void consumersThatDoNotRead() throws Exception {
        SharedBroker.assumeOurs();
        List<AmqpPeer> slow = new ArrayList<>();
        try (BrokerProcess broker = BrokerProcess.startWithHeap(folder.resolve("data"), HEAP)) {
            publish(broker.address(), "backlog", BACKLOG);
            for (int i = 0; i < SLOW_CONSUMERS; i++) {
                AmqpPeer peer = new AmqpPeer(broker.address());
                slow.add(peer);
                // From here on nobody reads its socket.
                peer.receiver(peer.session(), "backlog", BACKLOG);
            }

            assertNeighbourIsQuick(broker.address());

            for (AmqpPeer peer : slow) {
                peer.close();
            }
            try (AmqpPeer peer = new AmqpPeer(broker.address())) {
                Receiver receiver = peer.receiver(peer.session(), "backlog", 50);
                for (long expected = 0; expected < BACKLOG; expected++) {
                    AmqpPeer.Received next = peer.await(receiver);
                    CrashClients.accept(next.delivery());
                    receiver.flow(1);
                    assertThat(next.encoded().length).isGreaterThan(BODY_BYTES);
                }
            }
            assertThat(broker.output()).doesNotContain("OutOfMemory");
        }
    }

    @Test
    @DisplayName(
            "MQTT subscribers that are owed 400 MB and read nothing leave a heap of 96 MB alone; they lose nothing")
    void subscribersThatDoNotRead() throws Exception {
        SharedBroker.assumeOurs();
        List<RawMqtt> slow = new ArrayList<>();
        try (BrokerProcess broker = BrokerProcess.startWithHeap(folder.resolve("data"), HEAP)) {
            BrokerAddress mqtt = broker.mqttAddress();
            InetSocketAddress address = new InetSocketAddress(mqtt.host(), mqtt.port());
            for (int i = 0; i < SLOW_CONSUMERS; i++) {
                RawMqtt client = new RawMqtt(address, 5);
                slow.add(client);
                client.openKept("slow" + i);
                // From here on nobody reads its socket.
                client.subscribed("news", 1);
            }
            try (RawMqtt publisher = new RawMqtt(address, 5)) {
                publisher.open("publisher", true);
                for (int i = 1; i <= MQTT_MESSAGES; i++) {
                    publisher.publish("news", 1, i, i + FILLER);
                    publisher.expectAck(RawMqtt.PUBACK, i);
                }
            }

            assertNeighbourIsQuick(broker.address());

            try (RawMqtt reader = slow.remove(0)) {
                for (RawMqtt client : slow) {
                    client.close();
                }
                for (int i = 1; i <= MQTT_MESSAGES; i++) {
                    RawMqtt.Published next = reader.expectPublish();
                    reader.ack(RawMqtt.PUBACK, next.packetId());
                    assertThat(next.payload()).startsWith(i + "x").hasSizeGreaterThan(BODY_BYTES);
                }
            }
            assertThat(broker.output()).doesNotContain("OutOfMemory");
        }
    }

    private static void assertNeighbourIsQuick(BrokerAddress broker) throws IOException {
        try (AmqpPeer peer = new AmqpPeer(broker)) {
            Session session = peer.session();
            Sender sender = peer.sender(session, "neighbour");
            Receiver receiver = peer.receiver(session, "neighbour", 1);
            List<Duration> rounds = new ArrayList<>();
            for (int i = 0; i < 21; i++) {
                long started = System.nanoTime();
                Delivery sent = AmqpPeer.send(sender, i, new MessageId(0, i).encode(0));
                CrashClients.accept(peer.await(receiver).delivery());
                peer.pumpUntil("outcome", () -> sent.getRemoteState() != null);
                receiver.flow(1);
                rounds.add(Duration.ofNanos(System.nanoTime() - started));
            }
            rounds.sort(null);
            assertThat(rounds.get(rounds.size() / 2)).as("median of %s", rounds).isLessThan(Duration.ofSeconds(1));
        }
    }

    private static void publish(BrokerAddress broker, String queue, int count) throws IOException {
        byte[] message = new byte[BODY_BYTES + 8];
        System.arraycopy(new byte[] {0, 0x53, 0x75, (byte) 0xb0, 0, 1, (byte) 0x90, 0}, 0, message, 0, 8);
        byte[] durable = {0, 0x53, 0x70, (byte) 0xc0, 2, 1, 0x41};
        byte[] encoded = new byte[durable.length + message.length];
        System.arraycopy(durable, 0, encoded, 0, durable.length);
        System.arraycopy(message, 0, encoded, durable.length, message.length);
        try (AmqpPeer peer = new AmqpPeer(broker)) {
            Sender sender = peer.sender(peer.session(), queue);
            Deque<Delivery> unconfirmed = new ArrayDeque<>();
            for (int i = 0; i < count; i++) {
                unconfirmed.add(AmqpPeer.send(sender, i, encoded));
                while (unconfirmed.size() >= 20 || (i == count - 1 && !unconfirmed.isEmpty())) {
                    peer.pump(Duration.ofMillis(20));
                    unconfirmed.removeIf(delivery -> delivery.getRemoteState() != null);
                }
            }
        }
    }
}
