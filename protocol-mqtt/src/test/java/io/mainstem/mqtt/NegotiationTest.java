package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.mqtt.raw.Received;
import io.mainstem.routing.access.AccessPolicy;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client is told: server keep alive, response information, reasons in words. */
final class NegotiationTest {
    private static final int REASON_STRING = 0x1F;

    @TempDir
    Path folder;

    private static TestServer.Setup options(int keepAliveMax, String responsePrefix) {
        return TestServer.Setup.DEFAULT.with(Options.negotiated(keepAliveMax, responsePrefix));
    }

    private static List<String> connackProperties(RawMqtt client, int keepAlive, Bytes properties) throws IOException {
        client.send(client.connectHead(2, keepAlive, properties).text("c").packet(0x10));
        Received connack = client.expect(RawMqtt.CONNACK);
        assertThat(connack.u16()).isZero();
        return connack.properties();
    }

    @ParameterizedTest
    @CsvSource({"0, 13=30", "31, 13=30", "30, ", "7, "})
    @DisplayName("[MQTT-3.2.2-22] a keep alive that is too long, or none, is replaced by the server's, which is told")
    void serverKeepAlive(int wanted, String told) throws IOException {
        try (TestServer server = new TestServer(folder, options(30, ""));
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            List<String> properties = connackProperties(client, wanted, new Bytes());

            if (told == null) {
                assertThat(properties).noneMatch(each -> each.startsWith("13="));
            } else {
                assertThat(properties).contains(told);
            }
        }
    }

    @Test
    @DisplayName("[MQTT-3.2.2-22] the server's keep alive is what counts: silence beyond it ends the connection")
    void serverKeepAliveCounts() throws IOException {
        try (TestServer server = new TestServer(folder, options(1, ""));
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            connackProperties(client, 0, new Bytes());

            assertThat(client.expectClosed()).isEqualTo(0x8D);
        }
    }

    @Test
    @DisplayName("response information goes to clients that ask, names them, and only where they may read")
    void responseInformation() throws IOException {
        AccessPolicy policy = RightsTest.policy("allow read mqtt-topic answers/%c/#");
        Bytes asks = new Bytes().u8(0x19, 1);
        try (TestServer server = new TestServer(folder, options(0, "answers/%c").with(() -> policy))) {
            try (RawMqtt client = new RawMqtt(server.address(), 5)) {
                assertThat(connackProperties(client, 0, asks)).contains("1a=answers/c");
                assertThat(client.subscribed("answers/c/#", 1)).isEqualTo(1);
            }
            try (RawMqtt client = new RawMqtt(server.address(), 5)) {
                assertThat(connackProperties(client, 0, new Bytes())).noneMatch(each -> each.startsWith("1a="));
            }
        }
        try (TestServer server =
                        new TestServer(folder, options(0, "elsewhere/%c").with(() -> policy));
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            assertThat(connackProperties(client, 0, asks)).noneMatch(each -> each.startsWith("1a="));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    @DisplayName("[MQTT-3.1.2-29] SUBACK and PUBACK say in words what is wrong, unless the client wants no problem"
            + " information")
    void reasonStrings(int problemInformation) throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            connackProperties(client, 0, new Bytes().u8(0x17, problemInformation));
            client.subscribe(1, "a/#/b", 0);
            Received suback = client.expect(RawMqtt.SUBACK);
            suback.u16();
            assertThat(reason(suback.properties()))
                    .isEqualTo(
                            problemInformation == 1
                                    ? "MS-0610 filter 'a/#/b' has a wildcard at the wrong place (expected: + as a whole level,"
                                            + " # as the last one) fix: correct the filter"
                                    : "");
            assertThat(suback.u8()).isEqualTo(0x8F);

            client.publish("$SYS/x", 1, 2, "no");
            Received puback = client.expect(RawMqtt.PUBACK);
            puback.u16();
            assertThat(puback.u8()).isEqualTo(0x87);
            assertThat(puback.remaining() > 0).isEqualTo(problemInformation == 1);
            if (problemInformation == 1) {
                assertThat(reason(puback.properties())).contains("$SYS/x");
            }
        }
    }

    @Test
    @DisplayName(
            "[MQTT-3.14.2-3] [MQTT-3.4.2-2] [MQTT-3.9.2-1] no reason in words where the packet would be too large for"
                    + " the client")
    void reasonStringsFit() throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt client = new RawMqtt(server.address(), 5)) {
            connackProperties(client, 0, new Bytes().u8(0x27).u32(30));
            client.publish("$SYS/x", 1, 2, "no");
            Received puback = client.expect(RawMqtt.PUBACK);
            assertThat(puback.size()).isEqualTo(3);
            client.subscribe(1, "a/#/b", 0);
            assertThat(client.expect(RawMqtt.SUBACK).size()).isEqualTo(4);
            client.send(new byte[] {0x10, 0});
            assertThat(client.expect(RawMqtt.DISCONNECT).size()).isLessThanOrEqualTo(2);
        }
    }

    @Test
    @DisplayName("DISCONNECT and a CONNACK that says no tell the reason in words, also without problem information")
    void theEndIsExplained() throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt client = new RawMqtt(server.address(), 5);
                RawMqtt refused = new RawMqtt(server.address(), 5)) {
            connackProperties(client, 0, new Bytes().u8(0x17, 0));
            client.publish("a/+", 0, 0, "");
            Received disconnect = client.expect(RawMqtt.DISCONNECT);
            assertThat(disconnect.u8()).isEqualTo(0x90);
            assertThat(reason(disconnect.properties())).startsWith("MS-0605").contains("a/+");

            refused.send(refused.connectHead(6, 0, new Bytes())
                    .text("c")
                    .properties(new Bytes())
                    .text("bad/#")
                    .text("gone")
                    .packet(0x10));
            Received connack = refused.expect(RawMqtt.CONNACK);
            assertThat(connack.u16()).isEqualTo(0x90);
            assertThat(reason(connack.properties())).contains("bad/#");
        }
    }

    private static String reason(List<String> properties) {
        String prefix = String.format("%02x=", REASON_STRING);
        return properties.stream()
                .filter(each -> each.startsWith(prefix))
                .map(each -> each.substring(prefix.length()))
                .findFirst()
                .orElse("");
    }
}
