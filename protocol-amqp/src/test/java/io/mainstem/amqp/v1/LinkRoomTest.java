package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Begin;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.End;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Links of a connection have a bound over all its sessions (docs/limits.md, AMQP 1.0). */
final class LinkRoomTest {
    private static final int A_SESSION = 2048;

    private TestServer server;
    private ScriptedPeer peer;

    @BeforeEach
    void start(@TempDir Path folder) throws IOException {
        server = new TestServer(folder);
        peer = server.open("client");
    }

    @AfterEach
    void stop() throws IOException {
        peer.close();
        server.close();
    }

    @Test
    @DisplayName("8,192 links are attached over four sessions; one more ends its session with"
            + " amqp:resource-limit-exceeded, and the others go on")
    void linksOfAllSessions() throws IOException {
        int sessions = LinkRoom.LINKS_MAX / A_SESSION;
        for (int channel = 0; channel < sessions; channel++) {
            begin(channel);
            attach(channel, A_SESSION, "");
            awaitAttached(A_SESSION);
        }
        begin(sessions);

        attach(sessions, 1, "");

        assertThat((Object) peer.awaitBody(End.class).getError().getCondition())
                .hasToString("amqp:resource-limit-exceeded");
        peer.send(0, ScriptedPeer.detach(0, true));
        peer.await(Detach.class);
        peer.send(sessions, new End());
        begin(sessions);
        attach(sessions, 1, "");
        awaitAttached(1);
    }

    @Test
    @DisplayName("attaches of 16 MiB in all: one more ends its session; what has ended counts no more")
    void bytesOfAttaches() throws IOException {
        String name = "x".repeat(120 << 10);
        begin(0);
        int fit = (int) (LinkRoom.ATTACH_BYTES_MAX / name.length()) - 1;
        attach(0, fit, name);
        awaitAttached(fit);
        begin(1);

        attach(1, 2, name);

        End end = peer.awaitBody(End.class);
        assertThat(end.getError().getDescription()).startsWith("MS-0515 ");
        peer.send(0, new End());
        peer.await(End.class);
        peer.send(1, new End());
        begin(1);
        attach(1, 2, name);
        awaitAttached(2);
    }

    private void begin(int channel) throws IOException {
        Begin begin = new Begin();
        begin.setNextOutgoingId(UnsignedInteger.ZERO);
        begin.setIncomingWindow(UnsignedInteger.valueOf(2048));
        begin.setOutgoingWindow(UnsignedInteger.valueOf(2048));
        peer.send(channel, begin);
        // Flows of the links before come in between.
        peer.await(Begin.class);
    }

    private void attach(int channel, int count, String name) throws IOException {
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        for (int handle = 0; handle < count; handle++) {
            Target target = new Target();
            target.setAddress("q");
            Attach attach = ScriptedPeer.senderAttach(handle, target);
            attach.setName(channel + "-" + handle + name);
            frames.write(peer.frame(channel, attach));
        }
        // The answers are as long, and would fill both sockets: they are read meanwhile.
        Thread writer = new Thread(() -> {
            try {
                peer.bytes(frames.toByteArray());
            } catch (IOException closed) {
                throw new UncheckedIOException(closed);
            }
        });
        writer.start();
    }

    private void awaitAttached(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            assertThat(peer.awaitBody(Attach.class).getTarget()).isNotNull();
        }
    }
}
