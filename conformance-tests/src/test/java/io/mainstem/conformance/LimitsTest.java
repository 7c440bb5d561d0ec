package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Transfer;
import org.apache.qpid.proton.engine.Delivery;
import org.apache.qpid.proton.engine.Sender;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A peer over a limit of the configuration is told so, or cut where nothing can be told; the broker goes on. */
final class LimitsTest {
    private static final int MESSAGE_BYTES_MAX = 1 << 20;
    private static final int CONNECTIONS_MAX = 10;
    private static final int SESSIONS_MAX = 2;
    private static final int LINKS_MAX = 4;
    private static final int FRAME_PAYLOAD_BYTES = 60_000;

    @TempDir
    static Path folder;

    private static BrokerProcess broker;

    @BeforeAll
    static void startWithSmallLimits() {
        SharedBroker.assumeOurs();
        broker = BrokerProcess.startShortLived(
                folder.resolve("data"),
                "amqp.handshake-timeout=3s",
                "amqp.idle-timeout=4s",
                "amqp.message-bytes-max=1MiB",
                "amqp.incomplete-bytes-max=2MiB",
                "amqp.connections-max=" + CONNECTIONS_MAX,
                "amqp.sessions-max=" + SESSIONS_MAX,
                "amqp.links-max=" + LINKS_MAX);
    }

    @AfterAll
    static void stop() {
        if (broker != null) {
            broker.close();
        }
    }

    @AfterEach
    void theBrokerGoesOn() {
        // The connections of the test may take a moment to be gone, and they count.
        await().atMost(Duration.ofMinutes(1)).ignoreExceptions().untilAsserted(() -> {
            try (AmqpPeer peer = new AmqpPeer(broker.address())) {
                Sender sender = peer.sender(peer.session(), Jms.uniqueName("goes-on"));
                Delivery delivery = AmqpPeer.send(sender, 1, new MessageId(0, 1).encode(0));
                peer.pumpUntil("outcome", () -> delivery.getRemoteState() != null);
                assertThat(delivery.getRemoteState()).isInstanceOf(Accepted.class);
            }
        });
    }

    @Test
    void aPeerThatNeverSaysAnythingIsCut() throws IOException {
        try (RawPeer peer = new RawPeer(broker.address())) {
            assertThat(peer.readToEnd()).isEmpty();
        }
    }

    @Test
    void aPeerThatStopsInItsHeaderIsCut() throws IOException {
        try (RawPeer peer = new RawPeer(broker.address())) {
            peer.send("414d5150");

            peer.readToEnd();
        }
    }

    @Test
    @DisplayName(
            "a peer that stays silent is closed by amqp:resource-limit-exceeded; half the time is announced [wire b6]")
    void silentPeer() throws IOException {
        try (RawPeer peer = new RawPeer(broker.address())) {
            assertThat(peer.open().getIdleTimeOut().intValue()).isEqualTo(2000);

            assertThat(RawFrames.closeOf(peer)).isEqualTo("amqp:resource-limit-exceeded");
        }
    }

    @Test
    void aPeerThatSendsEmptyFramesLives() throws IOException {
        try (AmqpPeer peer = new AmqpPeer(broker.address())) {
            Sender sender = peer.sender(peer.session(), Jms.uniqueName("alive"));
            long end = System.nanoTime() + Duration.ofSeconds(6).toNanos();
            while (System.nanoTime() < end) {
                peer.pump(Duration.ofMillis(50));
            }

            Delivery delivery = AmqpPeer.send(sender, 1, new MessageId(0, 1).encode(0));
            peer.pumpUntil("outcome", () -> delivery.getRemoteState() != null);
        }
    }

    @Test
    @DisplayName("a message over the size limit ends its link by amqp:link:message-size-exceeded [wire b13]")
    void messageTooLarge() throws IOException {
        try (RawPeer peer = new RawPeer(broker.address())) {
            assertThat(attach(peer).getMaxMessageSize().longValue()).isEqualTo(MESSAGE_BYTES_MAX);

            sendParts(peer, MESSAGE_BYTES_MAX / FRAME_PAYLOAD_BYTES + 2);

            assertThat(RawFrames.errorOf(peer)).isEqualTo("amqp:link:message-size-exceeded");
        }
    }

    @Test
    @DisplayName("messages that never end are bounded over all connections")
    void incompleteMessages() throws IOException {
        List<RawPeer> peers = new ArrayList<>();
        try {
            for (int i = 0; i < 4; i++) {
                RawPeer peer = new RawPeer(broker.address());
                peers.add(peer);
                attach(peer);
                sendParts(peer, 15);
            }
            // Three times 900 kB do not fit into 2 MiB: the later ones are refused, whichever that are.
            assertThat(RawFrames.errorOf(peers.get(3))).isEqualTo("amqp:resource-limit-exceeded");
        } finally {
            for (RawPeer peer : peers) {
                peer.close();
            }
        }
    }

    @Test
    void aHandleOverTheLimitIsAFramingError() throws IOException {
        try (RawPeer peer = new RawPeer(broker.address())) {
            peer.open();
            peer.begin(RawFrames.begin());
            Attach attach = RawFrames.senderAttach("any");
            attach.setHandle(UnsignedInteger.valueOf(LINKS_MAX));
            peer.send(peer.frame(0, attach, new byte[0]));

            assertThat(RawFrames.closeOf(peer)).isEqualTo("amqp:connection:framing-error");
        }
    }

    @Test
    void aChannelOverTheLimitIsAFramingError() throws IOException {
        try (RawPeer peer = new RawPeer(broker.address())) {
            assertThat(peer.open().getChannelMax().intValue()).isEqualTo(SESSIONS_MAX - 1);
            peer.send(peer.frame(SESSIONS_MAX, RawFrames.begin(), new byte[0]));

            assertThat(RawFrames.closeOf(peer)).isEqualTo("amqp:connection:framing-error");
        }
    }

    @Test
    void aConnectionOverTheLimitIsCut() throws IOException {
        List<RawPeer> peers = new ArrayList<>();
        try {
            for (int i = 0; i <= CONNECTIONS_MAX; i++) {
                peers.add(new RawPeer(broker.address()));
            }
            assertThat(peers.get(CONNECTIONS_MAX).readToEnd()).isEmpty();
        } finally {
            for (RawPeer peer : peers) {
                peer.close();
            }
        }
    }

    private static Attach attach(RawPeer peer) throws IOException {
        peer.open();
        peer.begin(RawFrames.begin());
        Attach attach = peer.attach(RawFrames.senderAttach(Jms.uniqueName("raw")));
        peer.readUntil(Flow.class);
        return attach;
    }

    /** So many frames of one message, of which more would follow. */
    private static void sendParts(RawPeer peer, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            Transfer transfer = RawFrames.transfer(0, 0);
            transfer.setMore(true);
            peer.send(peer.frame(0, transfer, new byte[FRAME_PAYLOAD_BYTES]));
        }
    }
}
