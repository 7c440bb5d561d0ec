package io.mainstem.amqp.v1;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedInteger;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.Source;
import org.apache.qpid.proton.amqp.messaging.Target;
import org.apache.qpid.proton.amqp.transport.Attach;
import org.apache.qpid.proton.amqp.transport.Begin;
import org.apache.qpid.proton.amqp.transport.Close;
import org.apache.qpid.proton.amqp.transport.Detach;
import org.apache.qpid.proton.amqp.transport.Disposition;
import org.apache.qpid.proton.amqp.transport.End;
import org.apache.qpid.proton.amqp.transport.Flow;
import org.apache.qpid.proton.amqp.transport.Open;
import org.apache.qpid.proton.amqp.transport.Role;
import org.apache.qpid.proton.amqp.transport.Transfer;
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
                List<byte[]> frames = conversation(peer, random);
                mutate(frames, random);
                peer.bytes(AmqpProtocol.AMQP_HEADER);
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

    /** What a client says in a short life, right in itself. */
    private static List<byte[]> conversation(ScriptedPeer peer, Random random) {
        Open open = new Open();
        open.setContainerId("fuzz");
        Begin begin = new Begin();
        begin.setNextOutgoingId(UnsignedInteger.ZERO);
        begin.setIncomingWindow(UnsignedInteger.valueOf(100));
        begin.setOutgoingWindow(UnsignedInteger.valueOf(100));
        Target target = new Target();
        target.setAddress(random.nextInt(4) == 0 ? null : "fuzz");
        Source source = new Source();
        source.setAddress(random.nextBoolean() ? "fuzz" : "a.#");
        source.setCapabilities(random.nextBoolean() ? Symbol.valueOf("topic") : Symbol.valueOf("queue"));
        Flow credit = ScriptedPeer.sessionFlow(100);
        credit.setHandle(UnsignedInteger.ONE);
        credit.setLinkCredit(UnsignedInteger.valueOf(random.nextInt(20)));
        credit.setDrain(random.nextInt(3) == 0);
        Disposition disposition = new Disposition();
        disposition.setRole(Role.RECEIVER);
        disposition.setFirst(UnsignedInteger.ZERO);
        disposition.setLast(UnsignedInteger.valueOf(random.nextInt(5)));
        disposition.setState(Accepted.getInstance());
        disposition.setSettled(true);
        Detach detach = new Detach();
        detach.setHandle(UnsignedInteger.ONE);
        Attach sender = ScriptedPeer.senderAttach(0, target);
        Attach receiver = ScriptedPeer.receiverAttach(1, source);
        List<byte[]> frames = new ArrayList<>(
                List.of(peer.frame(0, open), peer.frame(0, begin), peer.frame(0, sender), peer.frame(0, receiver)));
        for (int id = 0; id < 4; id++) {
            Transfer transfer = ScriptedPeer.transfer(0, id);
            transfer.setMore(random.nextInt(4) == 0);
            frames.add(peer.frame(0, transfer, ScriptedPeer.durable((byte) id, (byte) 2)));
        }
        frames.add(peer.frame(0, credit));
        frames.add(peer.frame(0, disposition));
        frames.add(peer.frame(0, detach));
        frames.add(peer.frame(0, new End()));
        frames.add(peer.frame(0, new Close()));
        return frames;
    }

    private static void mutate(List<byte[]> frames, Random random) {
        for (int n = 1 + random.nextInt(3); n > 0; n--) {
            int at = random.nextInt(frames.size());
            byte[] frame = frames.get(at);
            if (frame.length <= 8) {
                continue;
            }
            switch (random.nextInt(6)) {
                case 0 -> frames.remove(at);
                case 1 -> frames.add(at, frame);
                case 2 -> frames.set(at, Arrays.copyOf(frame, random.nextInt(frame.length)));
                case 3 -> frames.add(frames.remove(at));
                default -> {
                    byte[] flipped = frame.clone();
                    // Behind the header most of the time: framing errors are found soon.
                    int from = random.nextInt(8) == 0 ? 0 : 8;
                    flipped[from + random.nextInt(flipped.length - from)] ^= (byte) (1 << random.nextInt(8));
                    frames.set(at, flipped);
                }
            }
        }
    }
}
