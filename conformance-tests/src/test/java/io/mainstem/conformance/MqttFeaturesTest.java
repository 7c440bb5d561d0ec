package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAck;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5DisconnectReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.paho.client.mqttv3.MqttConnectOptions;
import org.eclipse.paho.client.mqttv3.persist.MemoryPersistence;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What MQTT 5 has besides publish and subscribe, as a program with the HiveMQ client sees it. */
@WithBroker
final class MqttFeaturesTest {
    private static final int WAIT_SECONDS = 20;
    private static final int KEEP_ALIVE_MAX = 7;

    private final String name = "features-" + UUID.randomUUID();

    @TempDir
    Path folder;

    private static Mqtt5BlockingClient client(InetSocketAddress broker, String id) {
        return MqttClient.builder()
                .useMqttVersion5()
                .identifier(id)
                .serverHost(broker.getHostString())
                .serverPort(broker.getPort())
                .buildBlocking();
    }

    private static InetSocketAddress address(BrokerProcess broker) {
        return new InetSocketAddress(
                broker.mqttAddress().host(), broker.mqttAddress().port());
    }

    private static void publish(Mqtt5BlockingClient client, String topic, String payload) {
        client.publishWith()
                .topic(topic)
                .qos(MqttQos.AT_LEAST_ONCE)
                .payload(payload.getBytes(StandardCharsets.UTF_8))
                .send();
    }

    private static void subscribe(Mqtt5BlockingClient client, String filter) {
        client.subscribeWith().topicFilter(filter).qos(MqttQos.AT_LEAST_ONCE).send();
    }

    private static String next(Mqtt5BlockingClient.Mqtt5Publishes publishes) throws InterruptedException {
        return text(publishes.receive(WAIT_SECONDS, TimeUnit.SECONDS).orElseThrow());
    }

    private static String text(Mqtt5Publish publish) {
        return new String(publish.getPayloadAsBytes(), StandardCharsets.UTF_8);
    }

    @Test
    @DisplayName("receive maximum: no more than so many come unacknowledged; the broker tells its own")
    void receiveMaximum(InetSocketAddress broker) throws Exception {
        Mqtt5BlockingClient client = client(broker, name);
        Mqtt5ConnAck connack = client.connectWith()
                .restrictions()
                .receiveMaximum(3)
                .applyRestrictions()
                .send();
        assertThat(connack.getRestrictions().getReceiveMaximum()).isPositive();
        try (var publishes = client.publishes(MqttGlobalPublishFilter.ALL, true)) {
            subscribe(client, name);
            for (int i = 0; i < 10; i++) {
                publish(client, name, "m" + i);
            }
            List<Mqtt5Publish> held = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                held.add(publishes.receive(WAIT_SECONDS, TimeUnit.SECONDS).orElseThrow());
            }
            // Its answer shows that what the broker sent before has come.
            client.unsubscribeWith().topicFilter("none").send();
            assertThat(publishes.receiveNow()).isEmpty();
            held.forEach(Mqtt5Publish::acknowledge);
            for (int i = 3; i < 10; i++) {
                Mqtt5Publish got =
                        publishes.receive(WAIT_SECONDS, TimeUnit.SECONDS).orElseThrow();
                assertThat(text(got)).isEqualTo("m" + i);
                got.acknowledge();
            }
        } finally {
            client.disconnect();
        }
    }

    @Test
    @DisplayName("topic aliases both ways")
    void topicAliases(InetSocketAddress broker) throws Exception {
        Mqtt5BlockingClient client = client(broker, name);
        Mqtt5ConnAck connack = client.connectWith()
                .restrictions()
                .topicAliasMaximum(2)
                .sendTopicAliasMaximum(2)
                .applyRestrictions()
                .send();
        assertThat(connack.getRestrictions().getTopicAliasMaximum()).isPositive();
        try (var publishes = client.publishes(MqttGlobalPublishFilter.ALL)) {
            subscribe(client, name + "/#");
            for (int i = 0; i < 30; i++) {
                publish(client, name + "/" + i % 3, "m" + i);
            }
            for (int i = 0; i < 30; i++) {
                Mqtt5Publish got =
                        publishes.receive(WAIT_SECONDS, TimeUnit.SECONDS).orElseThrow();
                assertThat(got.getTopic()).hasToString(name + "/" + i % 3);
                assertThat(text(got)).isEqualTo("m" + i);
            }
        } finally {
            client.disconnect();
        }
    }

    @Test
    @DisplayName("[MQTT-3.1.2-25] what is larger than the client takes is left out, and what follows comes")
    void maximumPacketSize(InetSocketAddress broker) throws Exception {
        Mqtt5BlockingClient client = client(broker, name);
        Mqtt5BlockingClient publisher = client(broker, name + "p");
        client.connectWith()
                .restrictions()
                .maximumPacketSize(500)
                .applyRestrictions()
                .send();
        publisher.connect();
        try (var publishes = client.publishes(MqttGlobalPublishFilter.ALL)) {
            subscribe(client, name);
            publish(publisher, name, "x".repeat(1000));
            publish(publisher, name, "small");
            assertThat(next(publishes)).isEqualTo("small");
        } finally {
            client.disconnect();
            publisher.disconnect();
        }
    }

    @Test
    @DisplayName("session expiry is what DISCONNECT says last")
    void sessionExpiry(InetSocketAddress broker) {
        Mqtt5BlockingClient client = client(broker, name);
        client.connectWith().cleanStart(false).sessionExpiryInterval(3600).send();
        client.disconnect();
        assertThat(client.connectWith()
                        .cleanStart(false)
                        .sessionExpiryInterval(3600)
                        .send()
                        .isSessionPresent())
                .isTrue();
        client.disconnectWith().sessionExpiryInterval(0).send();
        assertThat(client.connectWith().cleanStart(false).send().isSessionPresent())
                .isFalse();
        client.disconnect();
    }

    @Test
    @DisplayName("[S-4] members of a group take turns, one of them by 3.1.1")
    void sharedSubscription(InetSocketAddress broker) throws Exception {
        Mqtt5BlockingClient member = client(broker, name);
        member.connect();
        Set<String> seen = new HashSet<>();
        try (var other = new org.eclipse.paho.client.mqttv3.MqttClient(
                        "tcp://" + broker.getHostString() + ":" + broker.getPort(),
                        name + "3",
                        new MemoryPersistence());
                var publishes = member.publishes(MqttGlobalPublishFilter.ALL)) {
            var received = new LinkedBlockingQueue<String>();
            other.setCallback(new Paho3Callback(received));
            other.connect(new MqttConnectOptions());
            other.subscribe("$share/g/" + name, 1);
            subscribe(member, "$share/g/" + name);
            for (int i = 0; i < 4; i++) {
                publish(member, name, "m" + i);
            }
            for (int i = 0; i < 2; i++) {
                seen.add(next(publishes));
                seen.add(received.poll(WAIT_SECONDS, TimeUnit.SECONDS));
            }
            other.disconnect();
        } finally {
            member.disconnect();
        }
        assertThat(seen).containsExactlyInAnyOrder("m0", "m1", "m2", "m3");
    }

    @Test
    @DisplayName("[S-5] a will is published with the end of its delay, also by a broker that was killed meanwhile")
    void delayedWill() throws Exception {
        SharedBroker.assumeOurs();
        try (BrokerProcess process = BrokerProcess.start(folder.resolve("data"))) {
            Mqtt5BlockingClient watcher = client(address(process), "watcher");
            watcher.connectWith().cleanStart(false).sessionExpiryInterval(3600).send();
            subscribe(watcher, "will");
            watcher.disconnect();
            Mqtt5BlockingClient device = client(address(process), "device");
            device.connectWith()
                    .sessionExpiryInterval(3600)
                    .willPublish()
                    .topic("will")
                    .qos(MqttQos.AT_LEAST_ONCE)
                    .payload("gone".getBytes(StandardCharsets.UTF_8))
                    .delayInterval(2)
                    .applyWillPublish()
                    .send();
            device.disconnectWith()
                    .reasonCode(Mqtt5DisconnectReasonCode.DISCONNECT_WITH_WILL_MESSAGE)
                    .send();
            process.kill9();
            process.restart();
            Mqtt5BlockingClient again = client(address(process), "watcher");
            try (var publishes = again.publishes(MqttGlobalPublishFilter.ALL)) {
                again.connectWith()
                        .cleanStart(false)
                        .sessionExpiryInterval(3600)
                        .send();
                assertThat(next(publishes)).isEqualTo("gone");
                assertThat(publishes.receiveNow()).isEqualTo(Optional.empty());
            }
            again.disconnect();
        }
    }

    @Test
    @DisplayName("[MQTT-3.2.2-22] server keep alive, if the client wants a longer one")
    void serverKeepAlive() {
        SharedBroker.assumeOurs();
        try (BrokerProcess process =
                BrokerProcess.start(folder.resolve("data"), "mqtt.keep-alive-max=" + KEEP_ALIVE_MAX + "s")) {
            Mqtt5BlockingClient client = client(address(process), "c");
            assertThat(client.connectWith().keepAlive(60).send().getServerKeepAlive())
                    .hasValue(KEEP_ALIVE_MAX);
            client.disconnect();
        }
    }
}
