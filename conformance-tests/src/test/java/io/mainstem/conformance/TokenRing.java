package io.mainstem.conformance;

import io.mainstem.conformance.TokenJournal.Hop;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.qpid.proton.Proton;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.Symbol;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.messaging.AmqpValue;
import org.apache.qpid.proton.amqp.messaging.MessageAnnotations;
import org.apache.qpid.proton.engine.Receiver;
import org.apache.qpid.proton.engine.Sender;
import org.apache.qpid.proton.engine.Session;
import org.apache.qpid.proton.message.Message;

/**
 * Clients that send tokens round between two queues, a few of them a transaction, until the broker dies. Each is a
 * thread with a connection of its own. Receipts come later, and carry a publish id: both wait with the transaction.
 */
final class TokenRing {
    private static final String A = "ring.a";
    private static final String B = "ring.b";
    private static final String RECEIPTS = "ring.receipts";
    private static final int CREDIT = 6;
    private static final int TOKENS_A_TRANSACTION_MAX = 5;
    private static final int ROLLBACK_PERCENT = 15;
    private static final int MESSAGE_BYTES_MAX = 8192;
    private static final int RECEIPT_DELAY_MS_MAX = 700;
    private static final Symbol DELAY = Symbol.valueOf("x-opt-delivery-delay");
    private static final Symbol DEDUP_ID = Symbol.valueOf("x-opt-dedup-id");
    private static final Duration PUMP = Duration.ofMillis(10);
    private static final long END_SECONDS_MAX = 60;

    private static final int CLIENTS = 4;

    private final List<Thread> threads = new ArrayList<>();
    private final CountDownLatch working = new CountDownLatch(CLIENTS);
    private final TokenJournal journal;
    private final BranchJournal branches;

    private TokenRing(TokenJournal journal, BranchJournal branches) {
        this.journal = journal;
        this.branches = branches;
    }

    /** Puts all tokens into the first queue. */
    static void fill(BrokerAddress broker, int tokens) throws IOException {
        try (AmqpPeer peer = new AmqpPeer(broker)) {
            Session session = peer.session();
            Sender sender = peer.sender(session, A);
            peer.sender(session, B);
            peer.sender(session, RECEIPTS);
            for (int token = 0; token < tokens; token++) {
                if (!(peer.ask(sender, token, encode(Hop.first(token), 0)) instanceof Accepted)) {
                    throw new IOException("token " + token + " was not accepted");
                }
            }
        }
    }

    /**
     * Two clients a direction.
     *
     * @param branches every transaction is a branch that is prepared first; null = local ones
     */
    static TokenRing start(BrokerAddress broker, TokenJournal journal, BranchJournal branches, long seed) {
        TokenRing ring = new TokenRing(journal, branches);
        for (int number = 0; number < CLIENTS; number++) {
            SplittableRandom random = new SplittableRandom(seed + number);
            String from = number % 2 == 0 ? A : B;
            String to = number % 2 == 0 ? B : A;
            Thread thread = new Thread(() -> ring.run(broker, from, to, random), "ring-" + number);
            thread.setDaemon(true);
            ring.threads.add(thread);
            thread.start();
        }
        return ring;
    }

    /** Waits until every client has ended a transaction, so that the load is on. */
    void awaitLoad() throws InterruptedException {
        if (!working.await(END_SECONDS_MAX, TimeUnit.SECONDS)) {
            throw new AssertionError(working.getCount() + " clients ended no transaction");
        }
    }

    /** Waits for all clients to notice that the broker has died. */
    void awaitEnd() throws InterruptedException {
        for (Thread thread : threads) {
            thread.join(TimeUnit.SECONDS.toMillis(END_SECONDS_MAX));
            if (thread.isAlive()) {
                throw new AssertionError(thread.getName() + " did not notice the end of its connection");
            }
        }
    }

    private void run(BrokerAddress broker, String from, String to, SplittableRandom random) {
        try (AmqpPeer peer = new AmqpPeer(broker)) {
            Session session = peer.session();
            Client client = new Client(
                    peer,
                    new TransactionController(peer, session),
                    peer.receiver(session, from, CREDIT),
                    peer.sender(session, to),
                    peer.sender(session, RECEIPTS),
                    random);
            round(client);
            working.countDown();
            while (true) {
                round(client);
            }
        } catch (IOException e) {
            // The broker was killed: that is the end of this client.
        } catch (RuntimeException e) {
            journal.fault("client of " + from + ": " + e);
        }
    }

    /** What one client works with. */
    private record Client(
            AmqpPeer peer,
            TransactionController controller,
            Receiver receiver,
            Sender sender,
            Sender receipts,
            SplittableRandom random) {}

    private void round(Client client) throws IOException {
        SplittableRandom random = client.random;
        Binary globalId = branches == null ? null : branches.nextId();
        Binary id = globalId == null ? client.controller.declare() : client.controller.declare(globalId);
        String transaction = UUID.randomUUID().toString();
        List<AmqpPeer.Received> taken =
                take(client.peer, client.receiver, 1 + random.nextInt(TOKENS_A_TRANSACTION_MAX));
        List<Hop> hops = new ArrayList<>();
        for (AmqpPeer.Received received : taken) {
            Hop hop = Hop.parse(text(received)).next(transaction, taken.size());
            hops.add(hop);
            int padding = random.nextInt(MESSAGE_BYTES_MAX / 2);
            TransactionController.send(client.sender, random.nextLong(), encode(hop, padding), id);
            TransactionController.accept(received.delivery(), id);
            TransactionController.send(client.receipts, random.nextLong(), receipt(hop, random), id);
        }
        client.receiver.flow(Math.max(0, CREDIT - client.receiver.getCredit()));
        boolean fail = random.nextInt(100) < ROLLBACK_PERCENT;
        if (globalId != null) {
            branches.end(client.controller, globalId, id, transaction, hops, !fail);
            return;
        }
        Object outcome = client.controller.discharge(id, fail);
        if (!(outcome instanceof Accepted)) {
            journal.fault("discharge was answered with " + outcome);
        } else if (fail) {
            journal.rolledBack(transaction);
        } else {
            journal.committed(transaction, hops);
        }
    }

    private static List<AmqpPeer.Received> take(AmqpPeer peer, Receiver receiver, int max) throws IOException {
        List<AmqpPeer.Received> taken = new ArrayList<>();
        while (taken.isEmpty()) {
            for (AmqpPeer.Received next = AmqpPeer.take(receiver);
                    next != null;
                    next = taken.size() < max ? AmqpPeer.take(receiver) : null) {
                taken.add(next);
            }
            if (taken.isEmpty()) {
                peer.pump(PUMP);
            }
        }
        return taken;
    }

    /** Takes everything out of all queues. */
    static void drain(BrokerAddress broker, TokenJournal journal) throws IOException {
        try (AmqpPeer peer = new AmqpPeer(broker)) {
            for (String queue : List.of(A, B, RECEIPTS)) {
                Receiver receiver = peer.receiver(peer.session(), queue, 0);
                int before = -1;
                int count = 0;
                long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS_MAX);
                while (count > before
                        || (queue.equals(RECEIPTS) && count < journal.hopsFound() && System.nanoTime() < end)) {
                    before = count;
                    receiver.drain(1000);
                    while (receiver.draining() || receiver.current() != null) {
                        peer.pump(PUMP);
                        for (AmqpPeer.Received next = AmqpPeer.take(receiver);
                                next != null;
                                next = AmqpPeer.take(receiver)) {
                            Hop hop = Hop.parse(text(next));
                            if (queue.equals(RECEIPTS)) {
                                journal.foundReceipt(hop);
                            } else {
                                journal.foundToken(hop);
                            }
                            CrashClients.accept(next.delivery());
                            count++;
                        }
                    }
                }
            }
        }
    }

    private static byte[] receipt(Hop hop, SplittableRandom random) {
        Message message = Proton.message();
        Map<Symbol, Object> annotations = new HashMap<>();
        annotations.put(DEDUP_ID, hop.text());
        if (random.nextBoolean()) {
            annotations.put(DELAY, random.nextInt(RECEIPT_DELAY_MS_MAX));
        }
        message.setMessageAnnotations(new MessageAnnotations(annotations));
        return encode(message, hop);
    }

    private static byte[] encode(Hop hop, int padding) {
        Message message = Proton.message();
        message.setSubject("x".repeat(padding));
        return encode(message, hop);
    }

    private static byte[] encode(Message message, Hop hop) {
        message.setDurable(true);
        message.setBody(new AmqpValue(hop.text()));
        byte[] bytes = new byte[MESSAGE_BYTES_MAX];
        return Arrays.copyOf(bytes, message.encode(bytes, 0, bytes.length));
    }

    private static String text(AmqpPeer.Received received) {
        Message message = Proton.message();
        message.decode(received.encoded(), 0, received.encoded().length);
        return (String) ((AmqpValue) message.getBody()).getValue();
    }
}
