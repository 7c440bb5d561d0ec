package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.mqtt.raw.RawMqtt.Published;
import io.mainstem.mqtt.raw.Received;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** mapping 1.2: {@code mqtt.topic-mapping}. */
final class TopicMappingTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({
        "EXACT, a.b/c, a.b/+, a.b/c",
        "EXACT, x/*/y, x/+/y, x/*/y",
        "EXACT, /a//b/, #, /a//b/",
        "RABBITMQ, a.b/c, a/b/c, a/b/c",
        "RABBITMQ, a/b/c, a.b/+, a/b/c",
        "RABBITMQ, spBv1.0/g, spBv1/+/g, spBv1/0/g",
        "RABBITMQ, x/1/y, x/*/y, x/1/y",
    })
    @DisplayName("[A-5] a topic comes back as it was published; with the mapping of RabbitMQ dots come back as slashes")
    void spelling(TopicMapping mapping, String topic, String filter, String seen) throws IOException {
        try (TestServer server = new TestServer(folder, TestServer.Setup.DEFAULT.with(Options.mapping(mapping)));
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.open("c", true);
            assertThat(client.subscribed(filter, 1)).isEqualTo(1);
            client.publish(topic, 0, 0, "m");
            assertThat(client.expectPublish().topic()).isEqualTo(seen);
            client.unsubscribe(3, filter);
            client.expect(RawMqtt.UNSUBACK);
            client.publish(topic, 0, 0, "m");
            client.expectNothing();
        }
    }

    @Test
    @DisplayName(
            "[A-5] with the mapping of RabbitMQ wills, response topics, retained and shared messages follow it, too")
    void everywhere() throws IOException {
        TestServer.Setup setup = TestServer.Setup.DEFAULT.with(Options.mapping(TopicMapping.RABBITMQ));
        try (TestServer server = new TestServer(folder, setup);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.open("c", true);
            client.publish(3, "kept.1", 1, new Bytes().u8(0x08).text("answer.to/me"), new byte[] {'k'});
            client.expectAck(RawMqtt.PUBACK, 1);
            client.subscribed("kept/+", 0);
            Published kept = client.expectPublish();
            assertThat(kept.topic()).isEqualTo("kept/1");
            assertThat(kept.properties()).contains("08=answer/to/me");
            client.subscribed("$share/g/shared.1", 0);
            client.publish("shared/1", 0, 0, "s");
            assertThat(client.expectPublish().topic()).isEqualTo("shared/1");
            client.subscribed("will/+", 0);
            try (RawMqtt leaving = new RawMqtt(server.address(), 4)) {
                leaving.send(leaving.connectHead(6, 0, new Bytes())
                        .text("l")
                        .text("will.1")
                        .text("gone")
                        .packet(0x10));
                leaving.expect(RawMqtt.CONNACK);
            }
            assertThat(client.expectPublish().topic()).isEqualTo("will/1");
        }
    }

    @ParameterizedTest
    @CsvSource({"EXACT, $SYS/broker/mine", "RABBITMQ, $SYS/broker/mine", "RABBITMQ, $SYS.broker.mine"})
    @DisplayName("[A-6] nobody but the broker publishes below $SYS, however it is spelled, nor wills to")
    void forged(TopicMapping mapping, String topic) throws IOException {
        try (TestServer server = new TestServer(folder, TestServer.Setup.DEFAULT.with(Options.mapping(mapping)));
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.open("c", true);
            assertThat(client.subscribed("$SYS/broker/mine", 1)).isEqualTo(1);
            client.publish(topic, 1, 1, "forged");
            Received puback = client.expectAnswer(RawMqtt.PUBACK);
            assertThat(puback.u16()).isEqualTo(1);
            assertThat(puback.u8()).isEqualTo(0x87);
            client.expectNothing();
            try (RawMqtt leaving = new RawMqtt(server.address(), 5)) {
                leaving.send(leaving.connectHead(6, 0, new Bytes())
                        .text("l")
                        .properties(new Bytes())
                        .text(topic)
                        .text("forged")
                        .packet(0x10));
                assertThat(leaving.expect(RawMqtt.CONNACK).u16()).isEqualTo(0x87);
            }
        }
    }
}
