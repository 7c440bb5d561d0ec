package io.mainstem.conformance;

import io.mainstem.conformance.TokenJournal.Hop;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.qpid.proton.amqp.Binary;
import org.apache.qpid.proton.amqp.messaging.Accepted;
import org.apache.qpid.proton.amqp.transaction.Declared;
import org.apache.qpid.proton.amqp.transport.DeliveryState;

/**
 * A transaction manager's log: branches that it began, how each is to end, and how far it has come. After a crash it
 * recovers them as such a manager does. Thread: any while clients run; {@link #recover} alone.
 */
final class BranchJournal {
    private final TokenJournal tokens;
    private final Map<Binary, Entry> open = new ConcurrentHashMap<>();
    private final AtomicLong next = new AtomicLong();
    private int recovered;

    private static final class Entry {
        final String transaction;
        final List<Hop> hops;
        final boolean commit;
        volatile boolean prepared;
        volatile boolean deciding;

        Entry(String transaction, List<Hop> hops, boolean commit) {
            this.transaction = transaction;
            this.hops = hops;
            this.commit = commit;
        }
    }

    BranchJournal(TokenJournal tokens) {
        this.tokens = tokens;
    }

    Binary nextId() {
        return new Binary(
                ByteBuffer.allocate(Long.BYTES).putLong(next.incrementAndGet()).array());
    }

    /** Branches that were found prepared after a crash. */
    int recovered() {
        return recovered;
    }

    /** Both phases. */
    void end(
            TransactionController controller,
            Binary id,
            Binary txnId,
            String transaction,
            List<Hop> hops,
            boolean commit)
            throws IOException {
        Entry entry = new Entry(transaction, List.copyOf(hops), commit);
        open.put(id, entry);
        expectAccepted("prepare", controller.prepare(txnId));
        entry.prepared = true;
        entry.deciding = true;
        decide(controller, id, entry);
    }

    private void decide(TransactionController controller, Binary id, Entry entry) throws IOException {
        expectAccepted("decision", controller.decide(id, entry.commit));
        decided(id, entry);
    }

    private void decided(Binary id, Entry entry) {
        open.remove(id);
        if (entry.commit) {
            tokens.committed(entry.transaction, entry.hops);
        } else {
            tokens.rolledBack(entry.transaction);
        }
    }

    private void expectAccepted(String what, DeliveryState outcome) {
        if (!(outcome instanceof Accepted)) {
            tokens.fault(what + " was answered with " + outcome);
        }
    }

    /** Decides what a crash has left prepared; what was promised must be there. */
    void recover(BrokerAddress broker) throws IOException {
        try (AmqpPeer peer = new AmqpPeer(broker)) {
            TransactionController controller = new TransactionController(peer, peer.session());
            Set<Binary> found = new HashSet<>();
            Binary after = null;
            while (controller.recover(after) instanceof Declared branch) {
                after = branch.getTxnId();
                found.add(after);
            }
            for (Map.Entry<Binary, Entry> branch : Map.copyOf(open).entrySet()) {
                Entry entry = branch.getValue();
                if (found.remove(branch.getKey())) {
                    recovered++;
                    decide(controller, branch.getKey(), entry);
                } else if (entry.prepared && !entry.deciding) {
                    tokens.fault("branch " + branch.getKey() + " was prepared and is lost");
                } else if (entry.deciding) {
                    decided(branch.getKey(), entry);
                }
            }
            found.forEach(unknown -> tokens.fault("branch " + unknown + " was never begun or is decided"));
            open.clear();
        }
    }
}
