package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.mqtt.raw.RawMqtt.Published;
import jakarta.jms.BytesMessage;
import jakarta.jms.Connection;
import jakarta.jms.DeliveryMode;
import jakarta.jms.Message;
import jakarta.jms.MessageConsumer;
import jakarta.jms.MessageProducer;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.apache.qpid.jms.JmsConnectionFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The same topics from MQTT and from JMS over AMQP (mapping 1.4, 3). */
@WithBroker
final class MqttJmsTest {
    private static final int WAIT_MS = 60_000;

    @Test
    @DisplayName("[mapping 1.4 no. 1, 3.1, 3.3, 3.4] MQTT to JMS: topic, body, properties, correlation, reply address")
    void fromMqttToJms(BrokerAddress amqp, InetSocketAddress mqtt) throws Exception {
        try (Connection connection = connect(amqp);
                MqttClients clients = new MqttClients(mqtt)) {
            Session session = connection.createSession(Session.AUTO_ACKNOWLEDGE);
            String base = clients.name("jms");
            MessageConsumer consumer = session.createConsumer(session.createTopic(base + ".*"));
            connection.start();
            RawMqtt device = clients.client(5, "d");
            device.publish(
                    2,
                    base + "/temp",
                    1,
                    new Bytes()
                            .u8(0x01, 1)
                            .u8(0x02)
                            .u32(3600)
                            .u8(0x03)
                            .text("text/plain")
                            .u8(0x08)
                            .text(base + "/reply")
                            .u8(0x09)
                            .text("corr-1")
                            .user("unit", "C")
                            .user("unit", "F"),
                    "21".getBytes(StandardCharsets.UTF_8));
            device.expectAck(RawMqtt.PUBACK, 1);
            TextMessage got = (TextMessage) consumer.receive(WAIT_MS);
            assertThat(got.getText()).isEqualTo("21");
            assertThat(got.getJMSDestination()).hasToString(base + ".temp");
            assertThat(got.getJMSReplyTo()).hasToString(base + ".reply");
            assertThat(got.getJMSCorrelationID()).isEqualTo("corr-1");
            assertThat(got.getStringProperty("unit")).isEqualTo("C");
            assertThat(got.getJMSDeliveryMode()).isEqualTo(DeliveryMode.PERSISTENT);
            assertThat(got.getJMSExpiration()).isPositive();

            device.subscribed(base + "/reply", 2);
            MessageProducer answer = session.createProducer(got.getJMSReplyTo());
            Message reply = session.createTextMessage("answer");
            reply.setJMSCorrelationID(got.getJMSCorrelationID());
            answer.send(reply);
            Published back = device.expectPublish();
            assertThat(back.payload()).isEqualTo("answer");
            assertThat(back.qos()).isEqualTo(2);
            assertThat(back.properties()).contains("09=" + hex("corr-1"), "01=1");
            assertThat(consumer.receive(WAIT_MS).getBody(String.class)).isEqualTo("answer");
            device.publish(base + "/raw", 0, 0, "bytes");
            assertThat(((BytesMessage) consumer.receive(WAIT_MS)).getBodyLength())
                    .isEqualTo(5);
        }
    }

    @Test
    @DisplayName("[mapping 3.1 to 3.4] JMS to MQTT: QoS, body, properties as text, reply queue as a topic [A-13]")
    void fromJmsToMqtt(BrokerAddress amqp, InetSocketAddress mqtt) throws Exception {
        try (Connection connection = connect(amqp);
                MqttClients clients = new MqttClients(mqtt)) {
            connection.start();
            Session session = connection.createSession(Session.AUTO_ACKNOWLEDGE);
            String base = clients.name("jms");
            RawMqtt device = clients.client(5, "d");
            device.subscribed(base + "/#", 2);
            MessageProducer producer = session.createProducer(session.createTopic(base + ".cmd"));
            TextMessage message = session.createTextMessage("go");
            message.setIntProperty("i", -7);
            message.setBooleanProperty("b", true);
            message.setDoubleProperty("d", 0.5);
            message.setStringProperty("s", "text");
            message.setJMSReplyTo(session.createQueue(base + " q"));
            producer.send(message);
            Published got = device.expectPublish();
            assertThat(got.topic()).isEqualTo(base + "/cmd");
            assertThat(got.payload()).isEqualTo("go");
            assertThat(got.qos()).isEqualTo(2);
            assertThat(got.properties())
                    .contains("01=1", "26=i:-7", "26=b:true", "26=d:0.5", "26=s:text")
                    .contains("08=$queues/" + base + "%20q");
            MqttClients.finish(device, got);

            MessageConsumer replies = session.createConsumer(session.createQueue(base + " q"));
            device.publish("$queues/" + base + "%20q", 1, 3, "done");
            device.expectAnswer(RawMqtt.PUBACK);
            assertThat(replies.receive(WAIT_MS).getBody(byte[].class))
                    .asString()
                    .isEqualTo("done");

            producer.setDeliveryMode(DeliveryMode.NON_PERSISTENT);
            producer.send(session.createMessage());
            Published plain = device.expectPublish();
            assertThat(plain.qos()).isZero();
            assertThat(plain.payload()).isEmpty();
        }
    }

    @Test
    @DisplayName("[A-13] MQTT clients take turns on a queue that JMS fills")
    void queuesAsTopics(BrokerAddress amqp, InetSocketAddress mqtt) throws Exception {
        try (Connection connection = connect(amqp);
                MqttClients clients = new MqttClients(mqtt)) {
            Session session = connection.createSession(Session.AUTO_ACKNOWLEDGE);
            String queue = clients.name("work");
            MessageProducer producer = session.createProducer(session.createQueue(queue));
            producer.send(session.createTextMessage("job 1"));
            RawMqtt worker = clients.client(5, "w");
            assertThat(worker.subscribed("$queues/" + queue, 2)).isEqualTo(1);
            Published job = worker.expectPublish();
            assertThat(List.of(job.topic(), job.payload())).containsExactly("$queues/" + queue, "job 1");
            MqttClients.finish(worker, job);
            assertThat(worker.subscribed("$queues/no-such-queue-" + queue, 1)).isGreaterThanOrEqualTo(0x80);
        }
    }

    private static Connection connect(BrokerAddress amqp) throws Exception {
        return new JmsConnectionFactory("amqp://" + amqp.host() + ":" + amqp.port()).createConnection();
    }

    private static String hex(String text) {
        return HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
    }
}
