package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A peer that asks without reading the answers, so that it is not read from, either. */
final class CloggedPeerTest {
    private static final AmqpLimits IMPATIENT = new AmqpLimits(4096, 8, 8, 64_000, 512_000, 10, 1_000);

    @TempDir
    Path folder;

    /** Links that are refused, with names that come back in the answers. */
    private static byte[] questions(ScriptedPeer peer) {
        Target target = new Target();
        target.setAddress("/no/such/path");
        Attach attach = ScriptedPeer.senderAttach(0, target);
        attach.setName("n".repeat(3_500));
        Detach detach = new Detach();
        detach.setHandle(UnsignedInteger.ZERO);
        detach.setClosed(true);
        ByteArrayOutputStream many = new ByteArrayOutputStream();
        for (int i = 0; i < 10; i++) {
            many.writeBytes(peer.frame(0, attach));
            many.writeBytes(peer.frame(0, detach));
        }
        return many.toByteArray();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @DisplayName("transport 2.4.5: it goes after the idle time-out, whatever it is that the broker waits for")
    void cloggedAndSilent(boolean webSocket) throws IOException {
        try (TestServer server = new TestServer(folder, IMPATIENT);
                ScriptedPeer peer = server.peer(webSocket, 4096)) {
            peer.open("asks");
            peer.begin(0);
            byte[] questions = questions(peer);
            assertThatThrownBy(() -> {
                        while (true) {
                            peer.bytes(questions);
                        }
                    })
                    .isInstanceOf(IOException.class);
            server.awaitConnections(0);
        }
    }
}
