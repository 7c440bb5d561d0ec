package io.mainstem.mqtt;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.mqtt.raw.Bytes;
import io.mainstem.mqtt.raw.RawMqtt;
import io.mainstem.mqtt.raw.Received;
import io.mainstem.routing.message.BinaryWriter;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A client id is its user's: nobody else evicts the client, or has its session. */
final class OwnerTest {
    private static final int KEPT = 0;
    private static final int CLEAN = 2;

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({"4, 5", "5, 135"})
    @DisplayName("another user's CONNECT is refused with 0x87, in 3.x with 5, and the client stays connected")
    void nobodyIsEvictedByAnotherUser(int version, int refusal) throws IOException {
        try (TestServer server = new TestServer(folder);
                RawMqtt owner = new RawMqtt(server.address(), version);
                RawMqtt other = new RawMqtt(server.address(), version);
                RawMqtt nobody = new RawMqtt(server.address(), version)) {
            assertThat(connect(owner, "alice", CLEAN)).isZero();
            assertThat(connect(other, "bob", CLEAN)).isEqualTo(refusal);
            nobody.connect("c", true, new Bytes());
            assertThat(code(nobody)).isEqualTo(refusal);
            owner.expectNothing();
        }
    }

    @ParameterizedTest
    @CsvSource({"true, 0", "true, 2", "false, 0", "false, 2"})
    @DisplayName("a session that is left is neither resumed nor discarded by another user, also after a crash")
    void aSessionIsItsUsers(boolean crash, int flags) throws IOException {
        TestServer server = new TestServer(folder);
        try (RawMqtt owner = new RawMqtt(server.address(), 5)) {
            connect(owner, "alice", KEPT);
            owner.subscribed("t", 1);
            owner.disconnect();
            owner.expectClosed();
        }
        if (crash) {
            server.crash();
            server = new TestServer(folder);
        }
        try (TestServer same = server;
                RawMqtt owner = new RawMqtt(same.address(), 5);
                RawMqtt other = new RawMqtt(same.address(), 5)) {
            assertThat(connect(other, "bob", flags)).isEqualTo(0x87);
            assertThat(connect(owner, "alice", KEPT)).isZero();
            owner.publish("t", 1, 1, "still subscribed");
            assertThat(owner.expectAnswer(RawMqtt.PUBACK).u16()).isEqualTo(1);
            assertThat(owner.expectPublish().payload()).isEqualTo("still subscribed");
        }
    }

    @Test
    @DisplayName("a record written before sessions had owners is read, and belongs to nobody")
    void oldRecords() {
        byte[] old =
                new BinaryWriter(16).u8(1).text("c").varint(60).varint(5).u8(0).toByteArray();
        assertThat(SessionRecord.decode(old)).isEqualTo(new SessionRecord("c", null, 60, 5, null));
        assertThat(SessionRecord.decode(owned("alice").encode())).isEqualTo(owned("alice"));
        assertThat(SessionRecord.decode(owned(null).encode())).isEqualTo(owned(null));
    }

    private static SessionRecord owned(@Nullable String user) {
        return new SessionRecord("c", user, 60, 5, null);
    }

    private static int connect(RawMqtt client, String user, int flags) throws IOException {
        client.send(client.connectHead(0xC0 | flags, 0, new Bytes().u8(0x11).u32(3600))
                .text("c")
                .text(user)
                .text("secret")
                .packet(0x10));
        return code(client);
    }

    private static int code(RawMqtt client) throws IOException {
        Received connack = client.expect(RawMqtt.CONNACK);
        connack.u8();
        return connack.u8();
    }
}
