package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.ObjectMessage;
import jakarta.jms.Session;
import jakarta.jms.StreamMessage;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Mapping 3.4 and 3.6: what JMS sends to MQTT, and what it gets of a device that sends the very same back. */
@WithBroker
final class MqttJmsBodiesTest {
    private static final int WAIT_MS = 20_000;
    private static final String ENCODED = "message/vnd.amqp-1.0";
    private static final byte[] VALUE = {0, 0x53, 0x77};
    private static final byte[] SEQUENCE = {0, 0x53, 0x76};

    private final String name = "bodies-" + UUID.randomUUID();
    private Connection connection;
    private Session session;
    private MessageProducer producer;
    private MessageConsumer echoes;
    private Mqtt5BlockingClient device;
    private Mqtt5BlockingClient.Mqtt5Publishes arrivals;

    @BeforeEach
    void connect(BrokerAddress amqp, InetSocketAddress mqtt) throws Exception {
        connection = new JmsConnectionFactory("amqp://" + amqp.host() + ":" + amqp.port()).createConnection();
        session = connection.createSession(Session.AUTO_ACKNOWLEDGE);
        producer = session.createProducer(session.createTopic(name + ".there"));
        echoes = session.createConsumer(session.createTopic(name + ".back"));
        connection.start();
        device = MqttClient.builder()
                .useMqttVersion5()
                .serverHost(mqtt.getHostString())
                .serverPort(mqtt.getPort())
                .buildBlocking();
        device.connect();
        arrivals = device.publishes(MqttGlobalPublishFilter.ALL);
        device.subscribeWith()
                .topicFilter(name + "/there")
                .qos(MqttQos.AT_LEAST_ONCE)
                .send();
    }

    @AfterEach
    void disconnect() throws Exception {
        arrivals.close();
        device.disconnect();
        connection.close();
    }

    private Mqtt5Publish sent(Message message) throws Exception {
        producer.send(message);
        return arrivals.receive(WAIT_MS, TimeUnit.MILLISECONDS).orElseThrow();
    }

    private Message back(Mqtt5Publish got) throws Exception {
        device.publish(got.extend().topic(name + "/back").build());
        return echoes.receive(WAIT_MS);
    }

    private static String contentType(Mqtt5Publish got) {
        return got.getContentType().map(Object::toString).orElse("");
    }

    private void comesBackAsBytes(Mqtt5Publish got) throws Exception {
        BytesMessage back = (BytesMessage) back(got);
        assertThat(back.getBody(byte[].class)).isEqualTo(got.getPayloadAsBytes());
    }

    @Test
    @DisplayName("[mapping 3.4] a map is the encoded section; the same bytes come back as bytes")
    void map() throws Exception {
        MapMessage map = session.createMapMessage();
        map.setInt("k", 1);
        map.setString("s", "text");
        Mqtt5Publish got = sent(map);
        assertThat(contentType(got)).isEqualTo(ENCODED);
        assertThat(got.getPayloadAsBytes()).startsWith(VALUE);
        comesBackAsBytes(got);
    }

    @Test
    @DisplayName("[mapping 3.4] a stream is the encoded section; the same bytes come back as bytes")
    void stream() throws Exception {
        StreamMessage stream = session.createStreamMessage();
        stream.writeInt(1);
        stream.writeString("two");
        Mqtt5Publish got = sent(stream);
        assertThat(contentType(got)).isEqualTo(ENCODED);
        assertThat(Arrays.copyOf(got.getPayloadAsBytes(), VALUE.length)).isIn(VALUE, SEQUENCE);
        comesBackAsBytes(got);
    }

    @Test
    @DisplayName("[mapping 3.4] a serialised object passes through a device unharmed, and is no text to it")
    void object() throws Exception {
        Mqtt5Publish got = sent(session.createObjectMessage("an object"));
        assertThat(contentType(got)).isEqualTo("application/x-java-serialized-object");
        assertThat(got.getPayloadFormatIndicator()).isEmpty();
        ObjectMessage back = (ObjectMessage) back(got);
        assertThat(back.getObject()).isEqualTo("an object");
    }

    @Test
    @DisplayName("[mapping 3.1, 3.2, 3.6] group, priority, type and message id stay behind; JMS gets its defaults")
    void groupAndPriority() throws Exception {
        Message message = session.createTextMessage("text");
        message.setStringProperty("JMSXGroupID", "group");
        message.setIntProperty("JMSXGroupSeq", 3);
        message.setJMSType("type");
        message.setStringProperty("kept", "value");
        producer.setPriority(9);
        Mqtt5Publish got = sent(message);
        assertThat(got.getUserProperties().asList())
                .singleElement()
                .satisfies(kept -> assertThat(kept.getName()).hasToString("kept"));

        Message back = back(got);
        assertThat(back.getJMSPriority()).isEqualTo(Message.DEFAULT_PRIORITY);
        assertThat(back.getStringProperty("JMSXGroupID")).isNull();
        assertThat(back.getJMSType()).isNull();
        assertThat(back.getStringProperty("kept")).isEqualTo("value");
        assertThat(back.getBody(String.class)).isEqualTo("text");
    }
}
