package io.mainstem.routing.queue;

import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.message.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/** Makes messages of all kinds and tells the model of them. */
final class SimPublisher {
    private static final int[] PRIORITIES = {4, 4, 4, 4, 0, 9};

    private final SplittableRandom random;
    private final SimModel model;
    private final SimReached reached;
    private final SimIds ids;
    private int number;

    SimPublisher(SplittableRandom random, SimModel model, SimReached reached) {
        this.random = random;
        this.model = model;
        this.reached = reached;
        this.ids = new SimIds(random, model, reached);
    }

    /** A new life of the broker begins. */
    void restarted() {
        ids.restarted();
    }

    /** A message and the copies it should make; the first is there even if it goes nowhere. */
    record Made(Message message, List<SimCopy> copies) {}

    /**
     * A message of some kind.
     *
     * @param publisher whose order it is in
     * @param there queues that are there now
     * @param murky queues where it may or may not arrive, whatever is answered
     */
    Made make(int publisher, long nowMs, boolean plain, Predicate<String> there, Set<String> murky) {
        String exchange = "";
        String key = SimTopology.QUEUES.get(random.nextInt(SimTopology.QUEUES.size()));
        switch (random.nextInt(6)) {
            case 0, 1 -> exchange = SimTopology.FAN;
            case 2 -> {
                exchange = SimTopology.TOPIC;
                key = SimTopology.TOPICS.get(random.nextInt(SimTopology.TOPICS.size()));
            }
            default -> {
                if (SimTopology.isDead(key) || key.equals(SimTopology.EXTRA)) {
                    key = "a";
                }
            }
        }
        reached.add(
                exchange.isEmpty()
                        ? "published to a queue"
                        : exchange.equals(SimTopology.FAN) ? "published to all" : "published to a topic");
        String text = "m" + number++;
        int priority = PRIORITIES[random.nextInt(PRIORITIES.length)];
        boolean inMemory = random.nextInt(6) == 0;
        long dueMs =
                plain || inMemory || random.nextInt(6) != 0 ? 0 : nowMs + 1 + random.nextInt(4_000) * 1000L + number;
        // In the middle of a second, where the broker never comes to rest.
        long ttlMs = !plain && random.nextInt(6) == 0 ? (1 + random.nextInt(3_000)) * 1000L + 500 - nowMs % 1000 : -1;
        Messages message =
                Messages.to(exchange, key).withPriority(priority).arrived(nowMs).withTtl(ttlMs);
        if (inMemory) {
            message = message.nonDurable();
            reached.add("published in memory");
        }
        if (dueMs != 0) {
            message = message.deliverAt(dueMs);
            reached.add("published delayed");
        }
        if (ttlMs >= 0) {
            reached.add("published to expire");
        }
        SimCopy.Turn turn = new SimCopy.Turn(publisher, number);
        List<SimCopy> copies = new ArrayList<>();
        for (String queue : SimTopology.targets(exchange, key)) {
            if (there.test(queue)) {
                long expireMs = ttlMs < 0 ? 0 : nowMs + ttlMs;
                SimCopy copy = new SimCopy(text, queue, !inMemory, priority, dueMs, expireMs, turn);
                copy.murky = murky.contains(queue);
                model.add(copy);
                copies.add(copy);
            }
        }
        return new Made(message.body(SimModel.payload(text)), copies);
    }

    /** Publishes some through the session. */
    void publish(BrokerSession session, List<Made> messages, List<SimUnit> units) {
        for (Made made : messages) {
            units.add(SimUnit.of(made.copies()));
            long mark = model.mark();
            if (random.nextInt(5) == 0) {
                ids.publish(session, made, mark);
            } else {
                session.publish(made.message(), 0, (tag, result) -> answered(made, mark, result));
            }
        }
        session.flush();
    }

    private void answered(Made made, long mark, PublishResult result) {
        model.answered(made.copies(), mark, result);
    }
}
