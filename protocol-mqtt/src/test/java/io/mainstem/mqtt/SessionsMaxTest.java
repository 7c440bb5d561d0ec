package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.mqtt.raw.Received;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("[issue 12 line 24] mqtt.sessions-max: clients that are connected or have left a session have a bound")
final class SessionsMaxTest {
    private static final MqttLimits TWO =
            new MqttLimits(4 << 20, 1000, 1000, 32, 10, 0xFFFF_FFFFL, 256 << 10, 100, 1 << 20, 2);

    @TempDir
    Path folder;

    private static int connect(RawMqtt client, String id, boolean clean) throws IOException {
        client.connect(id, clean, new Bytes());
        Received connack = client.expect(RawMqtt.CONNACK);
        connack.u8();
        return connack.u8();
    }

    @ParameterizedTest
    @CsvSource({"5, 151", "4, 3", "3, 3"})
    @DisplayName("[MQTT-3.2.2-7] one too many is refused with 0x97, in 3.x with 3; one that has a session gets in")
    void oneTooMany(int version, int refusal) throws IOException {
        try (TestServer server = new TestServer(folder, TWO)) {
            try (RawMqtt kept = new RawMqtt(server.address(), 4)) {
                assertThat(connect(kept, "kept", false)).isZero();
                kept.disconnect();
            }
            try (RawMqtt there = new RawMqtt(server.address(), 4);
                    RawMqtt more = new RawMqtt(server.address(), version)) {
                assertThat(connect(there, "there", true)).isZero();
                assertThat(connect(more, "more", true)).isEqualTo(refusal);
                more.expectClosed();
                there.expectNothing();
            }
            try (RawMqtt back = new RawMqtt(server.address(), 4);
                    RawMqtt again = new RawMqtt(server.address(), 4)) {
                assertThat(connect(back, "kept", false))
                        .as("a session that was left")
                        .isZero();
                assertThat(connect(again, "kept", false))
                        .as("the same id takes over")
                        .isZero();
            }
        }
    }

    @Test
    @DisplayName("the reason names code, key and way out; it is there again once a session has ended")
    void thereIsRoomAgain() throws IOException {
        try (TestServer server = new TestServer(folder, TWO);
                RawMqtt first = new RawMqtt(server.address(), 5);
                RawMqtt second = new RawMqtt(server.address(), 5)) {
            assertThat(connect(first, "first", true)).isZero();
            assertThat(connect(second, "second", true)).isZero();
            try (RawMqtt third = new RawMqtt(server.address(), 5)) {
                third.connect("third", true, new Bytes());
                Received connack = third.expect(RawMqtt.CONNACK);
                assertThat(new String(connack.rest(), StandardCharsets.UTF_8))
                        .contains("MS-0625", "mqtt.sessions-max", "fix: ");
            }
            first.disconnect();
            int code = 0x97;
            while (code == 0x97) {
                try (RawMqtt third = new RawMqtt(server.address(), 5)) {
                    code = connect(third, "third", true);
                }
            }
            assertThat(code).isZero();
        }
    }

    @Test
    @DisplayName("sessions of the log come in, whatever the limit is now")
    void moreThanTheLimitAreKept() throws IOException {
        try (TestServer server = new TestServer(folder)) {
            for (String id : new String[] {"a", "b", "c"}) {
                try (RawMqtt kept = new RawMqtt(server.address(), 4)) {
                    assertThat(connect(kept, id, false)).isZero();
                    kept.disconnect();
                }
            }
        }
        try (TestServer server = new TestServer(folder, TWO)) {
            for (String id : new String[] {"a", "b", "c"}) {
                try (RawMqtt back = new RawMqtt(server.address(), 4)) {
                    back.connect(id, false, new Bytes());
                    assertThat(back.expect(RawMqtt.CONNACK).u8())
                            .as("session present")
                            .isEqualTo(1);
                }
            }
            try (RawMqtt more = new RawMqtt(server.address(), 4)) {
                assertThat(connect(more, "d", true)).isEqualTo(3);
            }
        }
    }
}
