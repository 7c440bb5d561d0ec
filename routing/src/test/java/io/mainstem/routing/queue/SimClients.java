package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.ConsumerHandle;
import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.DelayedMessage;
import io.mainstem.routing.DelayedPage;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.queue.SimCopy.Fate;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Clients of one life of the broker: what they do at any time, and what they do only when nothing is under way. */
final class SimClients {
    private static final int CLIENTS = 2;
    private static final List<Outcome> OUTCOMES =
            List.of(Outcome.ACCEPTED, Outcome.ACCEPTED, Outcome.RELEASED, Outcome.FAILED, new Outcome.Rejected("no"));

    private final SplittableRandom random;
    private final SteppedBroker broker;
    private final SteppedBroker.Clock clock;
    private final SimModel model;
    private final SimPublisher publisher;
    private final SimReached reached;
    private final BrokerSession[] sessions = new BrokerSession[CLIENTS];
    private final Map<String, SimConsumer> consumers = new LinkedHashMap<>();
    private final List<SimTransaction> open = new ArrayList<>();
    private final Set<String> murky = new HashSet<>();
    private int begins;
    /** All of which or nothing a crash leaves. */
    final List<SimUnit> units = new ArrayList<>();

    SimClients(
            SplittableRandom random,
            SteppedBroker broker,
            SteppedBroker.Clock clock,
            SimModel model,
            SimPublisher publisher,
            SimReached reached) {
        this.random = random;
        this.broker = broker;
        this.clock = clock;
        this.model = model;
        this.publisher = publisher;
        this.reached = reached;
        for (int client = 0; client < CLIENTS; client++) {
            sessions[client] = broker.connect("client-" + client);
        }
    }

    BrokerSession session() {
        return sessions[0];
    }

    // ---- at any time -----------------------------------------------------------------------------------------

    void act() {
        int client = random.nextInt(CLIENTS);
        switch (random.nextInt(16)) {
            case 0, 1, 2, 3 -> publish(client);
            case 4, 5, 6, 7, 8 -> consume(SimTopology.QUEUES.get(random.nextInt(SimTopology.QUEUES.size())));
            case 9, 10, 11, 12 -> settleSome();
            case 13, 14 -> transact(client);
            default -> clock.advance(random.nextInt(3) == 0 ? random.nextInt(600_000) : random.nextInt(2_000));
        }
    }

    private void publish(int client) {
        BrokerSession session = sessions[client];
        if (!session.writable()) {
            return;
        }
        List<SimPublisher.Made> messages = new ArrayList<>();
        for (int left = random.nextInt(5); left >= 0; left--) {
            messages.add(publisher.make(client, clock.millis(), false, this::routed, murky));
        }
        publisher.publish(session, messages, units);
    }

    private boolean there(String queue) {
        return session().queue(queue) != null;
    }

    /** Also bound: its declaration has two records, of which a full disk may have refused the second. */
    private boolean routed(String queue) {
        return there(queue)
                && (!queue.equals(SimTopology.EXTRA)
                        || !session().bindingsOf(queue).isEmpty());
    }

    private void consume(String queue) {
        SimConsumer consumer = consumers.get(queue);
        if (!there(queue) || murky.contains(queue)) {
            return;
        }
        if (consumer == null) {
            int client = random.nextInt(CLIENTS);
            SimConsumer made = new SimConsumer(broker, model, client, queue);
            consumers.put(queue, made);
            ConsumerSpec spec = new ConsumerSpec("c", false, false, false, 0, Outcome.FAILED);
            sessions[client].consume(queue, spec, made).thenAccept(made::attached);
            sessions[client].flush();
        } else {
            consumer.credit(1 + random.nextInt(6));
            sessions[consumer.client].flush();
        }
    }

    private void settleSome() {
        for (SimConsumer consumer : consumers.values()) {
            ConsumerHandle handle = consumer.handle();
            if (handle != null && random.nextBoolean()) {
                for (Map.Entry<Long, SimCopy> held : List.copyOf(consumer.held.entrySet())) {
                    if (random.nextInt(3) != 0) {
                        Outcome any = OUTCOMES.get(random.nextInt(OUTCOMES.size()));
                        Outcome outcome = any.equals(Outcome.FAILED) ? SimModel.failed(held.getValue()) : any;
                        handle.settle(held.getKey(), held.getKey(), outcome);
                        consumer.held.remove(held.getKey());
                        model.settled(held.getValue(), outcome);
                    }
                }
                sessions[consumer.client].flush();
            }
        }
    }

    private void transact(int client) {
        if (open.isEmpty() || random.nextBoolean()) {
            begin(client);
        } else {
            end(open.remove(random.nextInt(open.size())));
        }
    }

    private void begin(int client) {
        begins++;
        SimTransaction begun = new SimTransaction(sessions[client].begin(), client);
        for (int left = random.nextInt(4); left > 0; left--) {
            SimPublisher.Made made = publisher.make(CLIENTS + begins, clock.millis(), true, this::routed, murky);
            begun.transaction.publish(made.message());
            begun.sends.addAll(made.copies());
        }
        for (SimConsumer consumer : consumers.values()) {
            ConsumerHandle handle = consumer.handle();
            if (consumer.client == client && handle != null) {
                for (Map.Entry<Long, SimCopy> held : List.copyOf(consumer.held.entrySet())) {
                    if (random.nextBoolean()) {
                        begun.transaction.settle(handle, held.getKey(), held.getKey(), Outcome.ACCEPTED, true);
                        consumer.held.remove(held.getKey());
                        held.getValue().heldBy = null;
                        held.getValue().settledIn = begun;
                        begun.settles.add(held.getValue());
                    }
                }
            }
        }
        sessions[client].flush();
        units.add(SimUnit.of(begun));
        open.add(begun);
    }

    private void end(SimTransaction transaction) {
        if (random.nextInt(3) == 0) {
            model.rolledBack(transaction);
            transaction.transaction.rollback();
        } else {
            transaction.commitAsked = true;
            transaction.mark = model.mark();
            model.then(transaction.transaction.commit(), (done, refused) -> {
                if (refused == null) {
                    model.committed(transaction);
                } else if (SimFailures.undone(refused)) {
                    model.rolledBack(transaction);
                }
            });
        }
        sessions[transaction.client].flush();
    }

    // ---- when nothing is under way ---------------------------------------------------------------------------

    boolean anyOpen() {
        return !open.isEmpty();
    }

    /** Everything open is ended, so that rest can come. */
    void endAll() {
        open.forEach(this::end);
        open.clear();
    }

    /** At rest: something that is exact only then. */
    void actAtRest() {
        murky.clear();
        units.clear();
        String queue = SimTopology.QUEUES.get(random.nextInt(SimTopology.QUEUES.size()));
        switch (random.nextInt(10)) {
            case 0, 1 -> purge(queue);
            case 2, 3 -> {
                if (there(SimTopology.EXTRA)) {
                    delete();
                } else {
                    SimTopology.declare(broker, session(), SimTopology.EXTRA);
                    reached.add("declared again");
                }
            }
            case 4 -> close(queue);
            case 5 -> closeSession(random.nextInt(CLIENTS));
            case 6 -> cancelDelayed();
            case 7 -> clock.advance(61_000 + random.nextInt(2_000_000));
            default -> {
                broker.store().store().checkpoint();
                reached.add("checkpoint asked");
            }
        }
    }

    private void purge(String queue) {
        if (!there(queue)) {
            return;
        }
        List<SimCopy> taken = model.ready(queue, clock.millis());
        taken.forEach(copy -> copy.fate = Fate.LEAVING);
        taken.forEach(copy -> copy.mark = model.mark());
        murkyFromNow(queue); // what consumers give back meanwhile
        model.then(session().purgeQueue(queue), (dropped, refused) -> {
            if (refused == null) {
                assertThat(dropped).as("purged of " + queue).isGreaterThanOrEqualTo(taken.size());
                taken.forEach(copy -> copy.fate = Fate.GONE);
                reached.add("purged");
            } else if (SimFailures.undone(refused)) {
                taken.forEach(copy -> copy.fate = Fate.THERE);
            }
        });
        session().flush();
        if (taken.stream().anyMatch(copy -> copy.expireMs() != 0)) {
            broker.settle(); // before time goes on: what expires first is no longer the purge's
        }
    }

    private void murkyFromNow(String queue) {
        murky.add(queue);
        for (SimCopy copy : model.copies()) {
            copy.murky |= copy.queue.equals(queue);
        }
    }

    private void delete() {
        murkyFromNow(SimTopology.EXTRA);
        consumers.remove(SimTopology.EXTRA);
        model.then(session().deleteQueue(SimTopology.EXTRA, false, false), (messages, refused) -> {
            if (refused == null) {
                model.dropped(SimTopology.EXTRA);
                reached.add("deleted");
            }
        });
        session().flush();
    }

    private void close(String queue) {
        SimConsumer consumer = consumers.remove(queue);
        ConsumerHandle handle = consumer == null ? null : consumer.handle();
        if (consumer != null && handle != null) {
            handle.close();
            sessions[consumer.client].flush();
            lost(consumer);
            letItEnd();
            reached.add("consumer closed");
        }
    }

    /** Before others publish: it could be given what it will never see, and that counts as failed. */
    private void letItEnd() {
        if (broker.worksInShortTurns()) {
            broker.settle();
        }
    }

    private void lost(SimConsumer consumer) {
        consumer.held.values().forEach(copy -> model.settled(copy, Outcome.FAILED));
        consumer.held.clear();
        consumer.end();
    }

    private void closeSession(int client) {
        sessions[client].close();
        for (SimConsumer consumer : List.copyOf(consumers.values())) {
            if (consumer.client == client) {
                lost(consumer);
                consumers.remove(consumer.queue);
            }
        }
        letItEnd();
        sessions[client] = broker.connect("client-" + client);
        reached.add("session closed");
    }

    private void cancelDelayed() {
        List<SimCopy> waiting = model.waiting(clock.millis());
        if (waiting.isEmpty()) {
            return;
        }
        long dueMs = waiting.get(random.nextInt(waiting.size())).dueMs;
        DelayedPage listed = broker.ask(session(), each -> each.delayedMessages("", 100_000));
        DelayedMessage one = find(listed, dueMs);
        if (one != null) {
            List<SimCopy> copies =
                    waiting.stream().filter(copy -> copy.dueMs == dueMs).toList();
            copies.forEach(copy -> copy.fate = Fate.LEAVING);
            copies.forEach(copy -> copy.mark = model.mark());
            model.then(session().cancelDelayed(one.id()), (done, refused) -> {
                if (refused == null) {
                    copies.forEach(copy -> copy.fate = Fate.GONE);
                    reached.add("cancelled");
                } else if (SimFailures.undone(refused)) {
                    copies.forEach(copy -> copy.fate = Fate.THERE);
                }
            });
            session().flush();
            broker.settle();
        }
    }

    private static @Nullable DelayedMessage find(@Nullable DelayedPage listed, long dueMs) {
        return listed == null
                ? null
                : listed.messages().stream()
                        .filter(each -> each.deliverAtMs() == dueMs)
                        .findFirst()
                        .orElse(null);
    }
}
