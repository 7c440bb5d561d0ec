package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.message.AmqpValueReader;
import io.mainstem.routing.message.SectionScanner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.UnsignedLong;
import org.apache.qpid.proton.amqp.messaging.Modified;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.Role;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("[messaging 3.4.5] issue 12 line 57: message-annotations of modified are merged")
final class ModifiedAnnotationsTest {
    @TempDir
    Path folder;

    private TestServer server;
    private ScriptedPeer peer;

    @BeforeEach
    void start() throws IOException {
        server = new TestServer(folder);
        peer = server.open("client");
        peer.begin(0);
    }

    @AfterEach
    void stop() throws IOException {
        peer.close();
        server.close();
    }

    @Test
    @DisplayName("the next one gets them, of any type; numbers and what belongs to the broker are left out")
    void theNextOneGetsThem() throws IOException {
        peer.attachSender(0, "orders");
        peer.send(0, ScriptedPeer.transfer(0, 0), ScriptedPeer.durable((byte) 1));
        peer.awaitBody(Disposition.class);
        peer.attachReceiver(1, "orders");
        peer.credit(1, 0, 1, false);
        assertThat(annotations(peer.await(Transfer.class).payload())).doesNotContainKey("x-tries");

        Modified modified = new Modified();
        modified.setDeliveryFailed(true);
        modified.setMessageAnnotations(Map.of(
                Symbol.valueOf("x-tries"),
                UnsignedInteger.valueOf(3),
                Symbol.valueOf("x-opt-list"),
                List.of("a", 1),
                Symbol.valueOf("x-opt-deaths"),
                "forged",
                UnsignedLong.valueOf(7),
                "reserved"));
        Disposition disposition = new Disposition();
        disposition.setRole(Role.RECEIVER);
        disposition.setFirst(UnsignedInteger.ZERO);
        disposition.setSettled(true);
        disposition.setState(modified);
        peer.send(0, disposition);
        peer.credit(1, 1, 1, false);

        byte[] payload = peer.await(Transfer.class).payload();
        assertThat(ScriptedPeer.bodyOf(payload)).containsExactly(1);
        assertThat(annotations(payload))
                .containsEntry("x-tries", 3L)
                .containsEntry("x-opt-list", List.of("a", 1L))
                .doesNotContainKeys("x-opt-deaths", "7");
    }

    private static Map<String, @Nullable Object> annotations(byte[] payload) {
        SectionScanner.BareMessage message = SectionScanner.split(List.of(payload));
        return AmqpValueReader.messageAnnotations(message.sections(), message.offsets());
    }
}
