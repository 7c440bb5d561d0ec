package io.mainstem.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.apache.qpid.proton.Proton;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.UnsignedLong;
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
 * A producer that numbers its messages and sends again whatever was in doubt when the broker was killed, as a failover
 * client does: each message must be in the queue once.
 */
final class IdempotentPublishTest {
    private static final int KILLS = Integer.getInteger("mainstem.crash.kills", 6);
    private static final int IN_FLIGHT_MAX = 300;
    private static final int CONFIRMS_MAX = 1200;
    private static final Duration PUMP = Duration.ofMillis(5);
    private static final String QUEUE = "once";

    @TempDir
    Path folder;

    private final long seed = Long.getLong("mainstem.crash.seed", new Random().nextLong());
    private final SortedMap<Long, Delivery> unconfirmed = new TreeMap<>();
    private long next;
    private long confirms;

    @Test
    @DisplayName("[L-9] kill -9, and what is in doubt is sent again: every message is stored exactly once")
    void exactlyOnce() throws Exception {
        SharedBroker.assumeOurs();
        Random random = new Random(seed);
        System.out.println("idempotent publish test: -Dmainstem.crash.seed=" + seed);
        try (BrokerProcess broker = BrokerProcess.startShortLived(
                folder.resolve("data"),
                "store.segment-bytes=4MiB",
                "store.checkpoint-bytes=1MiB",
                "store.checkpoint-interval=200ms")) {
            for (int kill = 0; kill < KILLS; kill++) {
                try (AmqpPeer peer = new AmqpPeer(broker.address())) {
                    publish(peer, confirms + 1 + random.nextInt(CONFIRMS_MAX), false);
                    broker.kill9();
                }
                broker.restart();
            }
            try (AmqpPeer peer = new AmqpPeer(broker.address())) {
                publish(peer, confirms + 1, true);
            }

            List<Long> received = receive(broker.address(), (int) next);

            System.out.println("idempotent publish test: " + next + " messages, " + KILLS + " kills");
            assertThat(received)
                    .as("seed %d%n%s", seed, broker.output())
                    .containsExactlyInAnyOrderElementsOf(
                            LongStream.range(0, next).boxed().toList());
        }
    }

    /** Sends again what is in doubt, oldest first, then more, until so many have been confirmed. */
    private void publish(AmqpPeer peer, long confirmsWanted, boolean untilNoneIsInDoubt) throws IOException {
        Sender sender = peer.sender(peer.session(), QUEUE);
        List<Long> inDoubt = new ArrayList<>(unconfirmed.keySet());
        unconfirmed.clear();
        int again = 0;
        while (confirms < confirmsWanted || (untilNoneIsInDoubt && !unconfirmed.isEmpty())) {
            while (sender.getCredit() > 0 && again < inDoubt.size()) {
                send(sender, inDoubt.get(again++));
            }
            boolean more = confirms < confirmsWanted && again == inDoubt.size();
            while (more && sender.getCredit() > 0 && unconfirmed.size() < IN_FLIGHT_MAX) {
                send(sender, next++);
            }
            peer.pump(PUMP);
            unconfirmed.values().removeIf(delivery -> {
                boolean accepted = delivery.getRemoteState() instanceof Accepted;
                if (accepted) {
                    delivery.settle();
                    confirms++;
                }
                return accepted;
            });
        }
    }

    private void send(Sender sender, long sequence) {
        Map<Symbol, Object> annotations = new HashMap<>(Map.of(
                Symbol.valueOf("x-opt-producer-id"),
                "test-producer",
                Symbol.valueOf("x-opt-producer-seq"),
                UnsignedLong.valueOf(sequence)));
        Message message = Proton.message();
        message.setDurable(true);
        message.setMessageAnnotations(new MessageAnnotations(annotations));
        message.setBody(new AmqpValue(sequence));
        byte[] buffer = new byte[512];
        byte[] encoded = Arrays.copyOf(buffer, message.encode(buffer, 0, buffer.length));
        unconfirmed.put(sequence, AmqpPeer.send(sender, sequence, encoded));
    }

    private static List<Long> receive(BrokerAddress broker, int atLeast) throws IOException {
        List<Long> received = new ArrayList<>();
        try (AmqpPeer peer = new AmqpPeer(broker)) {
            Receiver receiver = peer.receiver(peer.session(), QUEUE, 500);
            while (received.size() < atLeast) {
                AmqpPeer.Received each = peer.await(receiver);
                received.add(body(each));
                receiver.flow(1);
            }
            // One that is there twice comes at the end at the latest: the broker says when there is nothing more.
            receiver.drain(0);
            peer.pumpUntil("drained", () -> !receiver.draining() || receiver.getRemoteCredit() == 0);
            for (AmqpPeer.Received more = AmqpPeer.take(receiver); more != null; more = AmqpPeer.take(receiver)) {
                received.add(body(more));
            }
        }
        return received;
    }

    private static long body(AmqpPeer.Received received) {
        Message message = Proton.message();
        message.decode(received.encoded(), 0, received.encoded().length);
        assertThat(message.getMessageAnnotations().getValue())
                .as("they are the producer's alone")
                .doesNotContainKeys(Symbol.valueOf("x-opt-producer-id"), Symbol.valueOf("x-opt-producer-seq"));
        received.delivery().disposition(Accepted.getInstance());
        received.delivery().settle();
        return (Long) ((AmqpValue) message.getBody()).getValue();
    }

    @Test
    @DisplayName("[L-9] a publish id that is none detaches with amqp:invalid-field, and its own link only")
    void invalidIds() throws Exception {
        SharedBroker.assumeOurs();
        try (BrokerProcess broker = BrokerProcess.startShortLived(folder.resolve("data"));
                AmqpPeer peer = new AmqpPeer(broker.address())) {
            var session = peer.session();
            for (Map<Symbol, Object> wrong : List.<Map<Symbol, Object>>of(
                    Map.of(Symbol.valueOf("x-opt-producer-id"), "p"),
                    Map.of(Symbol.valueOf("x-opt-producer-seq"), 1L),
                    Map.of(Symbol.valueOf("x-opt-producer-id"), "p", Symbol.valueOf("x-opt-producer-seq"), -1L),
                    Map.of(Symbol.valueOf("x-opt-dedup-id"), ""),
                    Map.of(Symbol.valueOf("x-opt-dedup-id"), 1.5))) {
                Sender sender = peer.sender(session, QUEUE);
                peer.pumpUntil("credit", () -> sender.getCredit() > 0);
                AmqpPeer.send(sender, 0, DelayedDeliveryTest.encode(wrong));
                peer.pumpUntil("detach", () -> sender.getRemoteCondition().getCondition() != null);
                assertThat((Object) sender.getRemoteCondition().getCondition()).hasToString("amqp:invalid-field");
                assertThat(sender.getRemoteCondition().getDescription()).contains("MS-0594", "fix:");
            }
            Sender right = peer.sender(session, QUEUE);
            peer.pumpUntil("credit", () -> right.getCredit() > 0);
            byte[] named = DelayedDeliveryTest.encode(Map.of(Symbol.valueOf("x-opt-dedup-id"), "order-7"));
            assertThat(peer.ask(right, 1, named)).isInstanceOf(Accepted.class);
            assertThat(peer.ask(right, 2, named)).isInstanceOf(Accepted.class);
            Receiver receiver = peer.receiver(session, QUEUE, 2);
            peer.await(receiver);
            receiver.drain(0);
            peer.pumpUntil("drained", () -> receiver.getRemoteCredit() == 0);
            assertThat(AmqpPeer.take(receiver)).isNull();
        }
    }
}
