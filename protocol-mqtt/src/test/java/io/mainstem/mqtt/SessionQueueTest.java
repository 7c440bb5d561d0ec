package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.RawMqtt;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** [S-6], [S-12] What waits for a client that is away. */
final class SessionQueueTest {
    @TempDir
    Path folder;

    private static TestServer.Setup queues(SessionQueuePolicy policy) {
        return TestServer.Setup.DEFAULT.with(Options.queues(policy));
    }

    private static void leave(TestServer server, int qos) throws IOException {
        try (RawMqtt client = new RawMqtt(server.address(), 5)) {
            client.openKept("c");
            client.subscribed("t", qos);
            client.disconnect();
            client.expectClosed();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("[S-6] QoS 0 waits for a client that is away only if it is to be stored")
    void qos0(boolean stored) throws IOException {
        try (TestServer server = new TestServer(folder, queues(new SessionQueuePolicy(stored, 0, 0, false)));
                RawMqtt publisher = new RawMqtt(server.address(), 5);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            leave(server, 1);
            publisher.open("p", true);
            publisher.publish("t", 0, 0, "zero");
            publisher.publish("t", 1, 1, "one");
            publisher.expectAck(RawMqtt.PUBACK, 1);
            client.openKept("c");
            if (stored) {
                assertThat(client.expectPublish().payload()).isIn("zero", "one");
            }
            assertThat(client.expectPublish().payload()).isIn("zero", "one");
            client.expectNothing();
        }
    }

    @Test
    @DisplayName("[S-12] of more than may wait the oldest goes")
    void dropsTheOldest() throws IOException {
        try (TestServer server = new TestServer(folder, queues(new SessionQueuePolicy(false, 2, 0, false)));
                RawMqtt publisher = new RawMqtt(server.address(), 5);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            leave(server, 1);
            publisher.open("p", true);
            for (int i = 1; i <= 4; i++) {
                publisher.publish("t", 1, i, "m" + i);
                publisher.expectAck(RawMqtt.PUBACK, i);
            }
            client.openKept("c");
            assertThat(client.expectPublish().payload()).isEqualTo("m3");
            assertThat(client.expectPublish().payload()).isEqualTo("m4");
            client.expectNothing();
        }
    }

    @Test
    @DisplayName("[S-12] [T-2] or what is too much is refused with 0x97, and what waits stays")
    void refuses() throws IOException {
        try (TestServer server = new TestServer(folder, queues(new SessionQueuePolicy(false, 2, 0, true)));
                RawMqtt publisher = new RawMqtt(server.address(), 5);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            leave(server, 1);
            publisher.open("p", true);
            int refused = 0;
            for (int i = 1; i <= 4; i++) {
                publisher.publish("t", 1, i, "m" + i);
                refused = publisher.expectAck(RawMqtt.PUBACK, i);
            }
            assertThat(refused).isEqualTo(0x97);
            client.openKept("c");
            assertThat(client.expectPublish().payload()).isEqualTo("m1");
            assertThat(client.expectPublish().payload()).isEqualTo("m2");
        }
    }

    @Test
    @DisplayName("a session whose queue was made under another policy goes on with it")
    void changedPolicy() throws IOException {
        try (TestServer server = new TestServer(folder)) {
            leave(server, 1);
        }
        try (TestServer server = new TestServer(folder, queues(new SessionQueuePolicy(true, 5, 0, true)));
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            assertThat(client.openKept("c")).isTrue();
            client.publish("t", 1, 1, "m");
            client.expectAnswer(RawMqtt.PUBACK);
            assertThat(client.expectPublish().payload()).isEqualTo("m");
        }
    }

    @Test
    @DisplayName("PUBACK after the write: what was acknowledged is there when the process is killed")
    void answerAfterWrite() throws IOException {
        TestServer.Setup fast = TestServer.Setup.DEFAULT.with(Options.answerAfterWrite());
        TestServer server = new TestServer(folder, fast);
        leave(server, 1);
        try (RawMqtt publisher = new RawMqtt(server.address(), 5)) {
            publisher.open("p", true);
            publisher.publish("t", 1, 1, "m");
            assertThat(publisher.expectAck(RawMqtt.PUBACK, 1)).isZero();
        }
        server.crash();
        try (TestServer again = new TestServer(folder, fast);
                RawMqtt client = new RawMqtt(again.address(), 5)) {
            assertThat(client.openKept("c")).isTrue();
            assertThat(client.expectPublish().payload()).isEqualTo("m");
        }
    }
}
