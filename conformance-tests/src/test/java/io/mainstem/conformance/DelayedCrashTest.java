package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.qpid.proton.Proton;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.AmqpValue;
import org.apache.qpid.proton.amqp.messaging.MessageAnnotations;
import org.apache.qpid.proton.engine.Delivery;
import org.apache.qpid.proton.engine.Receiver;
import org.apache.qpid.proton.engine.Sender;
import org.apache.qpid.proton.message.Message;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The broker is killed with SIGKILL again and again while delayed messages come in and become due. Nobody consumes until
 * the end, so that whatever is in the queue twice was put there twice.
 */
final class DelayedCrashTest {
    private static final int KILLS = Integer.getInteger("mainstem.crash.kills", 10);
    private static final int LOAD_MS_MAX = 700;
    private static final int DELAY_MS_MAX = 3000;
    private static final Duration PUMP = Duration.ofMillis(5);
    private static final Duration END_MAX = Duration.ofSeconds(60);
    private static final Symbol DELAY = Symbol.valueOf("x-opt-delivery-delay");

    @TempDir
    Path folder;

    private final long seed = Long.getLong("mainstem.crash.seed", new Random().nextLong());
    private final Set<String> sent = new HashSet<>();
    private final Set<String> confirmed = new HashSet<>();

    @Test
    @DisplayName("[L-8] kill -9 while messages become due: none confirmed is lost, none comes twice")
    void noneLostNoneTwice() throws Exception {
        SharedBroker.assumeOurs();
        Random random = new Random(seed);
        System.out.println("delayed crash test: -Dmainstem.crash.seed=" + seed);
        try (BrokerProcess broker = BrokerProcess.startShortLived(
                folder.resolve("data"),
                "store.segment-bytes=4MiB",
                "store.checkpoint-bytes=1MiB",
                "store.checkpoint-interval=300ms")) {
            for (int kill = 0; kill < KILLS; kill++) {
                try (AmqpPeer peer = new AmqpPeer(broker.address())) {
                    publish(peer, random, 50 + random.nextInt(LOAD_MS_MAX));
                    broker.kill9();
                }
                broker.restart();
            }

            Map<String, Integer> received = receive(broker.address());

            System.out.println("delayed crash test: sent " + sent.size() + ", confirmed " + confirmed.size()
                    + ", received " + received.size());
            assertThat(confirmed).as("the load was real").hasSizeGreaterThan(KILLS);
            // By sets: tens of thousands of messages are too many for a comparison of each with each.
            assertThat(without(confirmed, received.keySet()))
                    .as("lost, seed %d", seed)
                    .isEmpty();
            assertThat(without(received.keySet(), sent))
                    .as("invented, seed %d", seed)
                    .isEmpty();
            assertThat(received.values()).as("seed %d", seed).containsOnly(1);
        }
    }

    private static Set<String> without(Set<String> ids, Set<String> others) {
        Set<String> rest = new HashSet<>(ids);
        rest.removeAll(others);
        return rest;
    }

    private void publish(AmqpPeer peer, Random random, int millis) throws IOException {
        Sender sender = peer.sender(peer.session(), "delayed");
        Map<Delivery, String> unconfirmed = new HashMap<>();
        long end = System.nanoTime() + Duration.ofMillis(millis).toNanos();
        // Some are confirmed in each life, however slow the disk.
        int enough = confirmed.size() + 2;
        while (System.nanoTime() < end || confirmed.size() < enough) {
            while (sender.getCredit() > 0 && unconfirmed.size() < 200) {
                String id = "m" + sent.size();
                sent.add(id);
                unconfirmed.put(AmqpPeer.send(sender, sent.size(), encode(id, random.nextInt(DELAY_MS_MAX))), id);
            }
            peer.pump(PUMP);
            unconfirmed.entrySet().removeIf(each -> {
                boolean accepted = each.getKey().getRemoteState() instanceof Accepted;
                if (accepted) {
                    confirmed.add(each.getValue());
                    each.getKey().settle();
                }
                return accepted;
            });
        }
    }

    /** Until all that was confirmed is there and no more can come. */
    private Map<String, Integer> receive(BrokerAddress broker) throws IOException {
        Map<String, Integer> received = new HashMap<>();
        long allDue = System.nanoTime() + Duration.ofMillis(DELAY_MS_MAX).toNanos();
        long end = System.nanoTime() + END_MAX.toNanos();
        try (AmqpPeer peer = new AmqpPeer(broker)) {
            Receiver receiver = peer.receiver(peer.session(), "delayed", 500);
            List<Delivery> settled = new ArrayList<>();
            boolean idle = false;
            while (System.nanoTime() < end
                    && !(idle && System.nanoTime() > allDue && received.keySet().containsAll(confirmed))) {
                peer.pump(Duration.ofMillis(200));
                settled.clear();
                for (AmqpPeer.Received next = AmqpPeer.take(receiver); next != null; next = AmqpPeer.take(receiver)) {
                    received.merge(idOf(next), 1, Integer::sum);
                    next.delivery().disposition(Accepted.getInstance());
                    next.delivery().settle();
                    settled.add(next.delivery());
                }
                receiver.flow(settled.size());
                idle = settled.isEmpty();
            }
        }
        return received;
    }

    private static String idOf(AmqpPeer.Received received) {
        Message message = Proton.message();
        message.decode(received.encoded(), 0, received.encoded().length);
        return String.valueOf(message.getMessageId());
    }

    private static byte[] encode(String id, int delayMs) {
        Message message = Proton.message();
        message.setDurable(true);
        message.setMessageId(id);
        message.setMessageAnnotations(new MessageAnnotations(new HashMap<>(Map.of(DELAY, delayMs))));
        message.setBody(new AmqpValue("body of " + id));
        byte[] buffer = new byte[512];
        return Arrays.copyOf(buffer, message.encode(buffer, 0, buffer.length));
    }
}
