package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.mainstem.launcher.EmbeddedBroker;
import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.mqtt.raw.Received;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * MQTT 5.0, 3.15 and 4.12: AUTH, by SCRAM-SHA-256, on a broker with a user; and what a broker with limits does. Another
 * broker's user is told by {@code mainstem.conformance.mqtt.user} and {@code .password}.
 */
@ExtendWith(StatementTable.class)
final class MqttAuthStatementsTest {
    private static final String METHOD = "SCRAM-SHA-256";
    private static final int CONTINUE = 0x18;
    private static final int AGAIN = 0x19;

    private static @Nullable EmbeddedBroker own;
    private static InetSocketAddress address = new InetSocketAddress(0);
    private static String user = "device";
    private static String password = "secret of the device";

    @BeforeAll
    static void start() {
        BrokerAddress external = SharedBroker.externalMqtt().orElse(null);
        if (external == null) {
            EmbeddedBroker started = EmbeddedBroker.builder()
                    .set("mqtt.session-queue-messages-max", "1")
                    .set("mqtt.session-queue-overflow", "reject-publish")
                    .user(user, password)
                    .start();
            own = started;
            address = new InetSocketAddress(
                    InetAddress.getLoopbackAddress(), started.mqttUri().getPort());
        } else {
            String name = System.getProperty("mainstem.conformance.mqtt.user");
            assumeTrue(name != null, "no user of the other broker is given");
            user = String.valueOf(name);
            password = System.getProperty("mainstem.conformance.mqtt.password", "");
            address = new InetSocketAddress(external.host(), external.port());
        }
    }

    @AfterAll
    static void stop() {
        EmbeddedBroker started = own;
        if (started != null) {
            started.close();
        }
    }

    private static ScramLogin scram(String secret) {
        return new ScramLogin(user, secret);
    }

    @Test
    @Statement({"MQTT-4.12.0-2", "MQTT-4.12.0-3", "MQTT-4.12.0-5", "MQTT-3.1.2-30"})
    void theClientIsAskedAndThenLetIn() throws IOException {
        try (RawMqtt client = new RawMqtt(address, 5);
                RawMqtt hasty = new RawMqtt(address, 5)) {
            assertThat(login(client)).contains("15=" + METHOD).anyMatch(each -> each.startsWith("16="));
            client.expectNothing();
            connect(hasty, scram(password));
            challenge(hasty);
            hasty.publish("t", 0, 0, "before CONNACK");
            assertThat(hasty.expectClosed()).isEqualTo(0x82);
        }
    }

    @Test
    @Statement("MQTT-4.12.0-4")
    void whoCannotAnswerIsRefused() throws IOException {
        try (RawMqtt client = new RawMqtt(address, 5)) {
            ScramLogin scram = scram("not the password");
            connect(client, scram);
            client.send(auth(CONTINUE, METHOD, scram.last(challenge(client))));
            assertThat(client.expectClosed()).isEqualTo(0x87);
        }
    }

    @Test
    @Statement({"MQTT-4.12.1-1", "MQTT-4.12.1-2", "MQTT-3.15.2-1"})
    void aConnectedClientShowsAgainWhoItIs() throws IOException {
        try (RawMqtt client = new RawMqtt(address, 5);
                RawMqtt another = new RawMqtt(address, 5)) {
            login(client);
            ScramLogin right = scram(password);
            client.send(auth(AGAIN, METHOD, right.first()));
            client.send(auth(CONTINUE, METHOD, right.last(challenge(client))));
            Received done = client.expect(RawMqtt.AUTH);
            assertThat(done.u8()).isZero();
            assertThat(done.properties()).contains("15=" + METHOD);
            ScramLogin wrong = scram("not the password");
            client.send(auth(AGAIN, METHOD, wrong.first()));
            client.send(auth(CONTINUE, METHOD, wrong.last(challenge(client))));
            assertThat(client.expectClosed()).isEqualTo(0x87);

            login(another);
            another.send(auth(AGAIN, "SCRAM-SHA-512", scram(password).first()));
            assertThat(another.expectClosed()).isEqualTo(0x82);
        }
    }

    @Test
    @Statement({"MQTT-3.15.1-1", "MQTT-3.15.2-2", "MQTT-3.15.2-3"})
    void authPacketsAreCheckedAndSmall() throws IOException {
        try (RawMqtt flagged = new RawMqtt(address, 5);
                RawMqtt small = new RawMqtt(address, 5)) {
            login(flagged);
            flagged.send(new byte[] {(byte) 0xF1, 0});
            assertThat(flagged.expectClosed()).isEqualTo(0x81);
            // Room for what SCRAM needs, and for no reason string or user property.
            ScramLogin scram = scram(password);
            int largest = 300;
            small.connect(
                    "small", true, properties(METHOD, scram.first()).u8(0x27).u32(largest));
            Received auth = small.expect(RawMqtt.AUTH);
            assertThat(auth.size() + 3).isLessThanOrEqualTo(largest);
        }
    }

    @Test
    @Statement("MQTT-4.12.0-7")
    void withoutMethodTheServerSendsNoAuth() throws IOException {
        try (RawMqtt client = new RawMqtt(address, 5)) {
            client.send(client.connectHead(0xC2, 0, new Bytes())
                    .text("plain")
                    .text(user)
                    .text(password)
                    .packet(0x10));
            Received connack = client.expect(RawMqtt.CONNACK);
            assertThat(connack.u16()).isZero();
            assertThat(connack.properties()).noneMatch(each -> each.startsWith("15=") || each.startsWith("16="));
        }
    }

    @Test
    @Statement(v311 = "MQTT-4.8.0-2")
    void whatCannotBeTakenNowEndsTheConnection() throws IOException {
        assumeTrue(own != null, "needs a broker with a limit");
        try (RawMqtt away = new RawMqtt(address, 4);
                RawMqtt publisher = new RawMqtt(address, 4)) {
            open(away, 0, "away");
            away.subscribed("full", 1);
            away.disconnect().expectClosed();
            open(publisher, 2, "publisher");
            publisher.publish("full", 1, 1, "fits");
            publisher.expectAck(RawMqtt.PUBACK, 1);
            for (int id = 2; id < 10; id++) {
                publisher.sendAnyway(new Bytes().text("full").u16(id).packet(0x32));
            }
            publisher.expectAcksThenClosed();
        }
    }

    private static void open(RawMqtt client, int flags, String id) throws IOException {
        client.send(client.connectHead(0xC0 | flags, 0, new Bytes())
                .text(id)
                .text(user)
                .text(password)
                .packet(0x10));
        assertThat(client.expect(RawMqtt.CONNACK).u16()).isZero();
    }

    /** Returns the properties of the CONNACK. */
    private static List<String> login(RawMqtt client) throws IOException {
        ScramLogin scram = scram(password);
        connect(client, scram);
        client.send(auth(CONTINUE, METHOD, scram.last(challenge(client))));
        Received connack = client.expect(RawMqtt.CONNACK);
        assertThat(connack.u16()).isZero();
        return connack.properties();
    }

    private static void connect(RawMqtt client, ScramLogin scram) throws IOException {
        client.connect("auth-" + UUID.randomUUID(), true, properties(METHOD, scram.first()));
    }

    private static Bytes properties(String method, byte[] data) {
        return new Bytes().u8(0x15).text(method).u8(0x16).binary(data);
    }

    private static byte[] auth(int reason, String method, byte @Nullable [] data) {
        assertThat(data).isNotNull();
        return new Bytes()
                .u8(reason)
                .properties(properties(method, data == null ? new byte[0] : data))
                .packet(0xF0);
    }

    private static byte[] challenge(RawMqtt client) throws IOException {
        Received auth = client.expect(RawMqtt.AUTH);
        assertThat(auth.u8()).isEqualTo(CONTINUE);
        return auth.properties().stream()
                .filter(each -> each.startsWith("16="))
                .map(each -> HexFormat.of().parseHex(each.substring(3)))
                .findFirst()
                .orElseThrow();
    }
}
