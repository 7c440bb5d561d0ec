package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.mqtt.raw.RawMqtt.Published;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Single cells of mapping 3.1 to 3.4, as programs with Qpid JMS and MQTT clients see them. */
@WithBroker
final class MqttJmsCellsTest {
    private static final int WAIT_MS = 60_000;
    private static final int TTL_MS = 3_600_000;

    @ParameterizedTest
    @CsvSource({
        "636f7272, corr",
        "ff00, ID:AMQP_BINARY:FF00",
        "75726e3a757569643a30313233343536372d383961622d636465662d303132332d343536373839616263646566,"
                + " ID:AMQP_UUID:01234567-89ab-cdef-0123-456789abcdef",
    })
    @DisplayName("[mapping 3.1, M-1] correlation data to JMS, and the same bytes in the answer to it")
    void correlation(String hex, String seen, BrokerAddress amqp, InetSocketAddress mqtt) throws Exception {
        try (Connection connection = connect(amqp);
                MqttClients clients = new MqttClients(mqtt)) {
            Session session = connection.createSession(Session.AUTO_ACKNOWLEDGE);
            String base = clients.name("cells");
            MessageConsumer consumer = session.createConsumer(session.createTopic(base + ".q"));
            connection.start();
            RawMqtt device = clients.client(5, "d");
            device.subscribed(base + "/a.b", 0);
            byte[] data = HexFormat.of().parseHex(hex);
            Bytes properties = new Bytes().u8(0x08).text(base + "/a.b").u8(0x09).u16(data.length);
            for (byte each : data) {
                properties.u8(each & 0xFF);
            }
            device.publish(0, base + "/q", 0, properties, new byte[0]);

            Message got = consumer.receive(WAIT_MS);
            assertThat(got.getJMSCorrelationID()).isEqualToIgnoringCase(seen);
            Message answer = session.createMessage();
            answer.setJMSCorrelationID(got.getJMSCorrelationID());
            session.createProducer(got.getJMSReplyTo()).send(answer);
            Published back = device.expectPublish();
            assertThat(back.topic()).isEqualTo(base + "/a.b");
            assertThat(back.properties()).contains("09=" + hex);
        }
    }

    @Test
    @DisplayName(
            "[mapping 3.1, 3.2, 3.3, 3.4] JMS to MQTT: reply topic, expiry, shortest floats, bytes, maps, null text")
    void fromJms(BrokerAddress amqp, InetSocketAddress mqtt) throws Exception {
        try (Connection connection = connect(amqp);
                MqttClients clients = new MqttClients(mqtt)) {
            Session session = connection.createSession(Session.AUTO_ACKNOWLEDGE);
            String base = clients.name("cells");
            RawMqtt device = clients.client(5, "d");
            device.subscribed(base + "/#", 0);
            MessageProducer producer = session.createProducer(session.createTopic(base + ".x"));
            producer.setTimeToLive(TTL_MS);
            BytesMessage bytes = session.createBytesMessage();
            bytes.writeBytes(new byte[] {'r', 'a', 'w'});
            bytes.setFloatProperty("f", 0.1f);
            bytes.setLongProperty("l", Long.MIN_VALUE);
            bytes.setJMSReplyTo(session.createTopic(base + ".reply"));
            producer.send(bytes);
            Published got = device.expectPublish();
            assertThat(got.payload()).isEqualTo("raw");
            assertThat(got.properties())
                    .contains("26=f:0.1", "26=l:-9223372036854775808", "08=" + base + "/reply")
                    .anyMatch(each -> each.startsWith("02="))
                    .doesNotContain("01=1");

            MapMessage map = session.createMapMessage();
            map.setInt("k", 1);
            producer.send(map);
            assertThat(device.expectPublish().properties()).contains("03=message/vnd.amqp-1.0");
            producer.send(session.createTextMessage(null));
            assertThat(device.expectPublish().payload()).isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource({"application/json, true", "application/octet-stream, false"})
    @DisplayName("[mapping 3.4] the content type of MQTT says what kind of message JMS gets")
    void contentType(String type, boolean text, BrokerAddress amqp, InetSocketAddress mqtt) throws Exception {
        try (Connection connection = connect(amqp);
                MqttClients clients = new MqttClients(mqtt)) {
            Session session = connection.createSession(Session.AUTO_ACKNOWLEDGE);
            String base = clients.name("cells");
            MessageConsumer consumer = session.createConsumer(session.createTopic(base));
            connection.start();
            RawMqtt device = clients.client(5, "d");
            device.publish(0, base, 0, new Bytes().u8(0x03).text(type), "{}".getBytes(StandardCharsets.UTF_8));

            Message got = consumer.receive(WAIT_MS);
            assertThat(got).isInstanceOf(text ? TextMessage.class : BytesMessage.class);
        }
    }

    private static Connection connect(BrokerAddress amqp) throws Exception {
        return new JmsConnectionFactory("amqp://" + amqp.host() + ":" + amqp.port()).createConnection();
    }
}
