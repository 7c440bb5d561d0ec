package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.security.SaslInit;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/**
 * Conversations with flipped, cut, repeated and reordered bytes, and plain noise. Whatever comes, the broker answers or
 * closes, has no internal error, and a neighbour's confirms go on. A failing seed prints itself.
 */
final class FuzzTest {
    private static final AmqpLimits LIMITS = new AmqpLimits(4096, 8, 8, 1 << 16, 1 << 20, 10, 60_000);
    private static final int PEERS = 120;

    @TempDir
    Path folder;

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private TestServer server;
    private ScriptedPeer neighbour;
    private int neighbourId;

    @BeforeEach
    void start() throws IOException {
        // Event loops go on logging while the test reads.
        log.list = new CopyOnWriteArrayList<>();
        log.start();
        logger().addAppender(log);
        server = new TestServer(folder, LIMITS);
        neighbour = server.open("neighbour");
        neighbour.begin(0);
        neighbour.attachSender(0, "neighbour");
    }

    @AfterEach
    void stop() throws IOException {
        neighbour.close();
        server.close();
        logger().detachAppender(log);
    }

    private static Logger logger() {
        return (Logger) LoggerFactory.getLogger(AmqpConnection.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void mutatedConversations(long seed) throws IOException {
        Random random = new Random(seed);
        for (int i = 0; i < PEERS; i++) {
            try (ScriptedPeer peer = new ScriptedPeer(server.address())) {
                List<byte[]> frames = FuzzConversation.of(peer, random);
                FuzzConversation.mutate(frames, random);
                introduce(peer, random);
                for (byte[] frame : frames) {
                    peer.bytes(frame);
                }
            } catch (IOException closedMeanwhile) {
                assertThat(closedMeanwhile).isNotInstanceOf(SocketTimeoutException.class);
            }
            if (i % 10 == 0) {
                neighbourIsConfirmed();
            }
        }
        neighbourIsConfirmed();
        assertThat(internalErrors()).as("seed %d", seed).isEmpty();
    }

    @Test
    @DisplayName(
            "conversations that are right in themselves, whatever their order; links are stolen, detached, attached again")
    void conversations() throws IOException {
        Random random = new Random(21);
        for (int i = 0; i < PEERS; i++) {
            try (ScriptedPeer peer = new ScriptedPeer(server.address())) {
                List<byte[]> frames = FuzzConversation.of(peer, random);
                introduce(peer, random);
                for (byte[] frame : frames) {
                    peer.bytes(frame);
                }
            } catch (IOException closedMeanwhile) {
                assertThat(closedMeanwhile).isNotInstanceOf(SocketTimeoutException.class);
            }
            if (i % 10 == 0) {
                neighbourIsConfirmed();
            }
        }
        neighbourIsConfirmed();
        assertThat(internalErrors()).isEmpty();
    }

    /** With a SASL layer, or without. */
    private static void introduce(ScriptedPeer peer, Random random) throws IOException {
        if (random.nextBoolean()) {
            SaslInit anonymous = new SaslInit();
            anonymous.setMechanism(Symbol.valueOf("ANONYMOUS"));
            peer.bytes(AmqpProtocol.SASL_HEADER);
            peer.sasl(anonymous);
        }
        peer.bytes(AmqpProtocol.AMQP_HEADER);
    }

    @Test
    @DisplayName("noise behind a right header")
    void noise() throws IOException {
        Random random = new Random(11);
        for (int i = 0; i < PEERS; i++) {
            try (ScriptedPeer peer = new ScriptedPeer(server.address())) {
                peer.bytes(random.nextBoolean() ? AmqpProtocol.AMQP_HEADER : AmqpProtocol.SASL_HEADER);
                byte[] noise = new byte[random.nextInt(600)];
                random.nextBytes(noise);
                peer.bytes(random.nextBoolean() ? ScriptedPeer.rawFrame(random.nextInt(2), 0, noise) : noise);
            } catch (IOException closedMeanwhile) {
                assertThat(closedMeanwhile).isNotInstanceOf(SocketTimeoutException.class);
            }
        }
        neighbourIsConfirmed();
        assertThat(internalErrors()).isEmpty();
    }

    private List<String> internalErrors() {
        return log.list.stream()
                .map(ILoggingEvent::getFormattedMessage)
                .filter(line -> line.startsWith("MS-0511"))
                .toList();
    }

    private void neighbourIsConfirmed() throws IOException {
        neighbour.send(0, ScriptedPeer.transfer(0, neighbourId++), ScriptedPeer.durable((byte) 1));
        neighbour.awaitBody(Disposition.class);
    }
}
