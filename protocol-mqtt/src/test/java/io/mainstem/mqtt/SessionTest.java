package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.mqtt.raw.RawMqtt.Published;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Sessions and their messages, over a socket. */
final class SessionTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({"3, 0", "3, 1", "3, 2", "4, 0", "4, 1", "4, 2", "5, 0", "5, 1", "5, 2"})
    void aMessageReachesASubscriber(int version, int qos) throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt subscriber = new RawMqtt(server.address(), version);
                RawMqtt publisher = new RawMqtt(server.address(), version)) {
            subscriber.open("s", true);
            assertThat(subscriber.subscribed("a/+", qos)).isEqualTo(qos);
            publisher.open("p", true);
            publish(publisher, "a/b", qos, 5, "hello");
            Published got = subscriber.expectPublish();
            assertThat(got.topic()).isEqualTo("a/b");
            assertThat(got.qos()).isEqualTo(qos);
            assertThat(got.payload()).isEqualTo("hello");
            assertThat(got.dup()).isFalse();
            finish(subscriber, got);
            subscriber.expectNothing();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {3, 4, 5})
    void aKeptSessionGetsWhatCameWhileItWasAway(int version) throws IOException {
        try (TestServer server = new TestServer(folder)) {
            try (RawMqtt subscriber = new RawMqtt(server.address(), version)) {
                assertThat(subscriber.openKept("s")).isFalse();
                assertThat(subscriber.subscribed("t/#", 2)).isEqualTo(2);
                subscriber.disconnect();
                subscriber.expectClosed();
            }
            try (RawMqtt publisher = new RawMqtt(server.address(), version)) {
                publisher.open("p", true);
                publish(publisher, "t/0", 0, 0, "lost");
                publish(publisher, "t/1", 1, 1, "one");
                publish(publisher, "t/2", 2, 2, "two");
            }
            try (RawMqtt subscriber = new RawMqtt(server.address(), version)) {
                assertThat(subscriber.openKept("s")).isEqualTo(version != 3);
                Published one = subscriber.expectPublish();
                Published two = subscriber.expectPublish();
                assertThat(one.payload()).isEqualTo("one");
                assertThat(two.payload()).isEqualTo("two");
                finish(subscriber, one);
                finish(subscriber, two);
                subscriber.expectNothing();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("[MQTT-4.4.0-1] what was not acknowledged comes again with its packet id, also after a crash")
    void deliveriesKeepTheirPacketIds(boolean crash) throws IOException {
        int first;
        int second;
        TestServer server = new TestServer(folder);
        try (RawMqtt subscriber = new RawMqtt(server.address(), 5);
                RawMqtt publisher = new RawMqtt(server.address(), 5)) {
            subscriber.openKept("s");
            subscriber.subscribed("t", 2);
            publisher.open("p", true);
            publish(publisher, "t", 1, 1, "one");
            publish(publisher, "t", 2, 2, "two");
            first = subscriber.expectPublish().packetId();
            second = subscriber.expectPublish().packetId();
            subscriber.ack(RawMqtt.PUBREC, second);
            assertThat(subscriber.expectAck(RawMqtt.PUBREL, second)).isZero();
        }
        if (crash) {
            server.crash();
            server = new TestServer(folder);
        }
        try (TestServer same = server;
                RawMqtt subscriber = new RawMqtt(same.address(), 5)) {
            assertThat(subscriber.openKept("s")).isTrue();
            assertThat(subscriber.expectAck(RawMqtt.PUBREL, second)).isZero();
            Published again = subscriber.expectPublish();
            assertThat(again.payload()).isEqualTo("one");
            assertThat(again.packetId()).isEqualTo(first);
            assertThat(again.dup()).isTrue();
            subscriber.ack(RawMqtt.PUBCOMP, second);
            finish(subscriber, again);
            subscriber.expectNothing();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("[T-1] a publish of QoS 2 that is sent again is stored once, also after a crash")
    void aPublishSentAgainIsStoredOnce(boolean crash) throws IOException {
        TestServer server = new TestServer(folder);
        try (RawMqtt subscriber = new RawMqtt(server.address(), 4);
                RawMqtt publisher = new RawMqtt(server.address(), 4)) {
            subscriber.openKept("s");
            subscriber.subscribed("t", 1);
            publisher.openKept("p");
            publisher.publish("t", 2, 9, "once");
            publisher.expectAck(RawMqtt.PUBREC, 9);
        }
        if (crash) {
            server.crash();
            server = new TestServer(folder);
        }
        try (TestServer same = server;
                RawMqtt publisher = new RawMqtt(same.address(), 4);
                RawMqtt subscriber = new RawMqtt(same.address(), 4)) {
            assertThat(publisher.openKept("p")).isTrue();
            publisher.publish(8 | 4, "t", 9, new Bytes(), "once".getBytes(StandardCharsets.UTF_8));
            publisher.expectAck(RawMqtt.PUBREC, 9);
            publisher.ack(RawMqtt.PUBREL, 9);
            publisher.expectAck(RawMqtt.PUBCOMP, 9);
            publish(publisher, "t", 2, 9, "another");
            assertThat(subscriber.openKept("s")).isTrue();
            assertThat(subscriber.expectPublish().payload()).isEqualTo("once");
            assertThat(subscriber.expectPublish().payload()).isEqualTo("another");
            subscriber.expectNothing();
        }
    }

    @Test
    @DisplayName("[MQTT-3.1.4-3] a second connection with the client id takes over; the first is told 0x8E")
    void takeover() throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt first = new RawMqtt(server.address(), 5);
                RawMqtt second = new RawMqtt(server.address(), 5)) {
            first.openKept("same");
            assertThat(first.subscribed("x", 1)).isEqualTo(1);
            assertThat(second.openKept("same")).isTrue();
            assertThat(first.expectClosed()).isEqualTo(0x8E);
            publish(second, "x", 1, 3, "to myself");
            assertThat(second.expectPublish().payload()).isEqualTo("to myself");
        }
    }

    @Test
    @DisplayName("[MQTT-3.1.2-4] clean start discards the session that was there")
    void cleanStart() throws IOException {
        try (TestServer server = new TestServer(folder)) {
            try (RawMqtt client = new RawMqtt(server.address(), 5)) {
                client.openKept("c");
                client.subscribed("x", 1);
            }
            try (RawMqtt client = new RawMqtt(server.address(), 5)) {
                assertThat(client.open("c", true)).isFalse();
                publish(client, "x", 1, 1, "nobody listens");
                client.expectNothing();
            }
        }
    }

    @Test
    @DisplayName("[MQTT-3.1.2-8] a will is published if the connection ends without DISCONNECT")
    void will() throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt watcher = new RawMqtt(server.address(), 5)) {
            watcher.open("w", true);
            watcher.subscribed("will/+", 1);
            try (RawMqtt client = new RawMqtt(server.address(), 4)) {
                client.send(client.connectHead(2 | 4 | 8, 0, new Bytes())
                        .text("dying")
                        .text("will/1")
                        .text("gone")
                        .packet(0x10));
                client.expect(RawMqtt.CONNACK);
            }
            Published will = watcher.expectPublish();
            assertThat(will.payload()).isEqualTo("gone");
            finish(watcher, will);
        }
    }

    private static void publish(RawMqtt client, String topic, int qos, int id, String payload) throws IOException {
        client.publish(topic, qos, id, payload);
        if (qos == 1) {
            client.expectAck(RawMqtt.PUBACK, id);
        } else if (qos == 2) {
            client.expectAck(RawMqtt.PUBREC, id);
            client.ack(RawMqtt.PUBREL, id);
            client.expectAck(RawMqtt.PUBCOMP, id);
        }
    }

    private static void finish(RawMqtt client, Published published) throws IOException {
        if (published.qos() == 1) {
            client.ack(RawMqtt.PUBACK, published.packetId());
        } else if (published.qos() == 2) {
            client.ack(RawMqtt.PUBREC, published.packetId());
            client.expectAck(RawMqtt.PUBREL, published.packetId());
            client.ack(RawMqtt.PUBCOMP, published.packetId());
        }
    }
}
