package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.mqtt.raw.RawMqtt.Published;
import io.mainstem.mqtt.raw.Received;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The broker is killed with kill -9 again and again while a publisher and a subscriber with kept sessions are at work;
 * or they are; both play their parts by the book: what was not answered is sent again, what was received is remembered.
 */
final class MqttCrashTest {
    private static final int KILLS = 4;
    private static final int CLIENT_DEATHS = 6;
    private static final int WINDOW = 20;
    private static final int MESSAGES_PER_ROUND = 200;
    private static final String TOPIC = "crash";

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @DisplayName("[T-1] QoS 1: nothing is lost; QoS 2: nothing is lost and nothing comes twice")
    void killedAgainAndAgain(int qos) throws Exception {
        SharedBroker.assumeOurs();
        Publisher publisher = new Publisher(qos);
        Subscriber subscriber = new Subscriber(qos);
        try (BrokerProcess broker = BrokerProcess.start(folder)) {
            subscriber.connect(address(broker)).close();
            for (int kill = 0; kill < KILLS; kill++) {
                round(broker, publisher, subscriber, 25 + 31 * kill, broker::kill9);
                broker.restart();
            }
            publisher.finish(address(broker));
            subscriber.drain(address(broker), "m" + publisher.published);
        }
        Set<String> distinct = new LinkedHashSet<>(subscriber.got);
        assertThat(distinct).containsAll(publisher.confirmed);
        if (qos == 2) {
            assertThat(subscriber.got).doesNotHaveDuplicates();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @DisplayName(
            "[T-1] the same where the clients die in the middle and come back, once to a broker that was killed, too")
    void clientsDieToo(int qos) throws Exception {
        SharedBroker.assumeOurs();
        Publisher publisher = new Publisher(qos);
        Subscriber subscriber = new Subscriber(qos);
        try (BrokerProcess broker = BrokerProcess.start(folder)) {
            subscriber.connect(address(broker)).close();
            for (int death = 0; death < CLIENT_DEATHS; death++) {
                boolean withBroker = death == CLIENT_DEATHS / 2;
                round(broker, publisher, subscriber, 17 + 13 * death, () -> {
                    publisher.cut();
                    subscriber.cut();
                    if (withBroker) {
                        broker.kill9();
                    }
                });
                if (withBroker) {
                    broker.restart();
                }
            }
            publisher.finish(address(broker));
            subscriber.drain(address(broker), "m" + publisher.published);
        }
        assertThat(new LinkedHashSet<>(subscriber.got)).containsAll(publisher.confirmed);
        if (qos == 2) {
            assertThat(subscriber.got).doesNotHaveDuplicates();
        }
    }

    /** Both work until something is killed, which happens when the subscriber has {@code killAfter} messages more. */
    private static void round(
            BrokerProcess broker, Publisher publisher, Subscriber subscriber, int killAfter, Runnable kill)
            throws Exception {
        InetSocketAddress address = address(broker);
        publisher.line.mend();
        subscriber.line.mend();
        Thread publishing = new Thread(() -> publisher.work(address));
        publishing.start();
        subscriber.work(address, killAfter, kill);
        publishing.join();
    }

    private static InetSocketAddress address(BrokerProcess broker) {
        return new InetSocketAddress(
                broker.mqttAddress().host(), broker.mqttAddress().port());
    }

    /** A client's connection, which anybody may cut at any time until it is mended. Thread: any. */
    private static final class Line {
        private @Nullable RawMqtt client;
        private boolean isCut;

        synchronized void mend() {
            isCut = false;
        }

        synchronized void open(RawMqtt opened) throws IOException {
            client = opened;
            if (isCut) {
                opened.close();
            }
        }

        synchronized void cut() {
            isCut = true;
            try {
                if (client != null) {
                    client.close();
                }
            } catch (IOException closed) {
                throw new UncheckedIOException(closed);
            }
        }
    }

    /** Publishes numbers, at most {@value #WINDOW} under way. */
    private static final class Publisher {
        final List<String> confirmed = new ArrayList<>();
        int published;
        final Line line = new Line();
        private final int qos;
        private final Map<Integer, String> sent = new LinkedHashMap<>();
        private final Set<Integer> releasing = new LinkedHashSet<>();

        Publisher(int qos) {
            this.qos = qos;
        }

        void cut() {
            line.cut();
        }

        void work(InetSocketAddress address) {
            try (RawMqtt client = connect(address)) {
                line.open(client);
                int last = published + MESSAGES_PER_ROUND;
                while (published < last) {
                    while (underWay() < WINDOW) {
                        publish(client);
                    }
                    onAnswer(client);
                }
                while (underWay() > 0) {
                    onAnswer(client);
                }
                client.next();
            } catch (IOException killed) {
                // That is what happens here.
            }
        }

        void finish(InetSocketAddress address) throws IOException {
            try (RawMqtt client = connect(address)) {
                publish(client);
                while (underWay() > 0) {
                    onAnswer(client);
                }
            }
        }

        private int underWay() {
            return sent.size() + releasing.size();
        }

        private RawMqtt connect(InetSocketAddress address) throws IOException {
            RawMqtt client = new RawMqtt(address, 5);
            boolean present = client.openKept("publisher");
            assertThat(present).isEqualTo(published > 0);
            for (Map.Entry<Integer, String> each : sent.entrySet()) {
                client.publish(8 | qos << 1, TOPIC, each.getKey(), new Bytes(), bytes(each.getValue()));
            }
            for (int id : releasing) {
                client.ack(RawMqtt.PUBREL, id);
            }
            return client;
        }

        private void publish(RawMqtt client) throws IOException {
            published++;
            int id = (published - 1) % 1000 + 1;
            String payload = "m" + published;
            sent.put(id, payload);
            client.publish(qos << 1, TOPIC, id, new Bytes(), bytes(payload));
        }

        private void onAnswer(RawMqtt client) throws IOException {
            Received answer = client.next();
            int id = answer.u16();
            if (answer.type() == RawMqtt.PUBCOMP) {
                releasing.remove(id);
                return;
            }
            String payload = sent.remove(id);
            if (payload != null) {
                confirmed.add(payload);
            }
            if (answer.type() == RawMqtt.PUBREC) {
                releasing.add(id);
                client.ack(RawMqtt.PUBREL, id);
            }
        }

        private static byte[] bytes(String text) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
    }

    /** Remembers what it has, and which ids of QoS 2 are not released. */
    private static final class Subscriber {
        final List<String> got = new ArrayList<>();
        final Line line = new Line();
        private final int qos;
        private final Set<Integer> unreleased = new LinkedHashSet<>();

        Subscriber(int qos) {
            this.qos = qos;
        }

        void cut() {
            line.cut();
        }

        RawMqtt connect(InetSocketAddress address) throws IOException {
            RawMqtt client = new RawMqtt(address, 5);
            if (!client.openKept("subscriber")) {
                assertThat(got).isEmpty();
                assertThat(client.subscribed(TOPIC, qos)).isEqualTo(qos);
            }
            return client;
        }

        void work(InetSocketAddress address, int killAfter, Runnable kill) {
            int target = got.size() + killAfter;
            boolean killed = false;
            try (RawMqtt client = connect(address)) {
                line.open(client);
                while (true) {
                    onPacket(client);
                    if (!killed && got.size() >= target) {
                        killed = true;
                        kill.run();
                    }
                }
            } catch (IOException end) {
                assertThat(killed).as("ended by the kill: " + end).isTrue();
            }
        }

        void drain(InetSocketAddress address, String last) throws IOException {
            try (RawMqtt client = connect(address)) {
                while (!got.contains(last) || !unreleased.isEmpty()) {
                    onPacket(client);
                }
            }
        }

        private void onPacket(RawMqtt client) throws IOException {
            Received packet = client.next();
            if (packet.type() == RawMqtt.PUBREL) {
                int id = packet.u16();
                unreleased.remove(id);
                client.ack(RawMqtt.PUBCOMP, id);
                return;
            }
            Published message = client.published(packet);
            if (message.qos() == 2) {
                if (unreleased.add(message.packetId())) {
                    got.add(message.payload());
                }
                client.ack(RawMqtt.PUBREC, message.packetId());
            } else {
                got.add(message.payload());
                client.ack(RawMqtt.PUBACK, message.packetId());
            }
        }
    }
}
