package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.eclipse.paho.client.mqttv3.MqttConnectOptions;
import org.eclipse.paho.client.mqttv3.persist.MemoryPersistence;
import org.eclipse.paho.mqttv5.client.MqttConnectionOptions;
import org.eclipse.paho.mqttv5.common.MqttMessage;
import org.eclipse.paho.mqttv5.common.packet.MqttProperties;
import org.eclipse.paho.mqttv5.common.packet.UserProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Client libraries of others: connect, subscribe, publish and receive with each QoS. */
@WithBroker
final class MqttClientLibrariesTest {
    private static final int WAIT_SECONDS = 60;
    private static final int MESSAGES = 50;

    private final String topic = "libraries/" + UUID.randomUUID();
    private final BlockingQueue<String> received = new LinkedBlockingQueue<>();

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void hiveMq(int qos, InetSocketAddress broker) throws Exception {
        Mqtt5BlockingClient client = MqttClient.builder()
                .useMqttVersion5()
                .serverHost(broker.getHostString())
                .serverPort(broker.getPort())
                .buildBlocking();
        client.connectWith().cleanStart(true).sessionExpiryInterval(30).send();
        try (Mqtt5BlockingClient.Mqtt5Publishes publishes = client.publishes(MqttGlobalPublishFilter.ALL)) {
            MqttQos level = Objects.requireNonNull(MqttQos.fromCode(qos));
            client.subscribeWith().topicFilter(topic).qos(level).send();
            for (int i = 0; i < MESSAGES; i++) {
                client.publishWith()
                        .topic(topic)
                        .qos(level)
                        .payload(("m" + i).getBytes(StandardCharsets.UTF_8))
                        .userProperties()
                        .add("n", "1")
                        .add("n", "2")
                        .applyUserProperties()
                        .send();
            }
            for (int i = 0; i < MESSAGES; i++) {
                Mqtt5Publish got =
                        publishes.receive(WAIT_SECONDS, TimeUnit.SECONDS).orElseThrow();
                assertThat(new String(got.getPayloadAsBytes(), StandardCharsets.UTF_8))
                        .isEqualTo("m" + i);
                assertThat(got.getUserProperties().asList()).hasSize(2);
            }
        } finally {
            client.disconnect();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void paho3(int qos, InetSocketAddress broker) throws Exception {
        try (var client = new org.eclipse.paho.client.mqttv3.MqttClient(
                "tcp://" + broker.getHostString() + ":" + broker.getPort(), topic, new MemoryPersistence())) {
            MqttConnectOptions options = new MqttConnectOptions();
            options.setCleanSession(false);
            options.setMaxInflight(MESSAGES);
            client.connect(options);
            client.subscribe(topic, qos, (on, message) -> received.add(text(message.getPayload())));
            for (int i = 0; i < MESSAGES; i++) {
                client.publish(topic, ("m" + i).getBytes(StandardCharsets.UTF_8), qos, false);
            }
            expectAll();
            client.unsubscribe(topic);
            client.disconnect();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void paho5(int qos, InetSocketAddress broker) throws Exception {
        var client = new org.eclipse.paho.mqttv5.client.MqttClient(
                "tcp://" + broker.getHostString() + ":" + broker.getPort(),
                topic,
                new org.eclipse.paho.mqttv5.client.persist.MemoryPersistence());
        try {
            MqttConnectionOptions options = new MqttConnectionOptions();
            options.setSessionExpiryInterval(30L);
            options.setTopicAliasMaximum(5);
            client.connect(options);
            client.setCallback(new Paho5Callback(received));
            client.subscribe(topic, qos);
            for (int i = 0; i < MESSAGES; i++) {
                MqttMessage message = new MqttMessage(("m" + i).getBytes(StandardCharsets.UTF_8));
                message.setQos(qos);
                MqttProperties properties = new MqttProperties();
                properties.getUserProperties().add(new UserProperty("k", "v"));
                message.setProperties(properties);
                client.publish(topic, message);
            }
            expectAll();
            client.unsubscribe(topic);
            client.disconnect();
        } finally {
            client.close();
        }
    }

    static String text(byte[] payload) {
        return new String(payload, StandardCharsets.UTF_8);
    }

    private void expectAll() throws InterruptedException {
        for (int i = 0; i < MESSAGES; i++) {
            assertThat(received.poll(WAIT_SECONDS, TimeUnit.SECONDS)).isEqualTo("m" + i);
        }
    }
}
