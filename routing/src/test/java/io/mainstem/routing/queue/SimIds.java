package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.BrokerSession;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.PublishId;
import io.mainstem.routing.queue.SimCopy.Fate;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Publish ids: messages that are published again under the same one, and what is known of the first. */
final class SimIds {
    private static final String PRODUCER = "p";

    private final SplittableRandom random;
    private final SimModel model;
    private final SimReached reached;
    private final List<Id> ids = new ArrayList<>();

    SimIds(SplittableRandom random, SimModel model, SimReached reached) {
        this.random = random;
        this.model = model;
        this.reached = reached;
    }

    /** Whether a message of an id is stored. */
    private enum Known {
        STORED,
        NOT,
        UNSURE
    }

    private static final class Id {
        final long sequence;
        Known known = Known.NOT;
        boolean asked;
        List<SimCopy> copies = List.of();

        Id(long sequence) {
            this.sequence = sequence;
        }
    }

    /** What was asked before a crash is not answered any more. */
    void restarted() {
        ids.forEach(id -> id.asked = false);
    }

    /** Publishes a message under a new id, or under one that was published already. */
    void publish(BrokerSession session, SimPublisher.Made made, long mark) {
        Id id = choose();
        if (id.known == Known.UNSURE && id.copies.stream().anyMatch(copy -> copy.fate == Fate.THERE)) {
            id.known = Known.STORED;
        }
        Known before = id.known;
        if (before == Known.STORED) {
            made.copies().forEach(copy -> copy.fate = Fate.GONE);
        } else {
            id.copies = made.copies();
            id.known = Known.UNSURE;
        }
        id.asked = true;
        Message message = made.message();
        PublishId publishId = new PublishId.Sequence(PRODUCER, id.sequence);
        session.publish(new Message(message.envelope(), message.sections(), publishId), 0, (tag, result) -> {
            id.asked = false;
            answered(id, before, made.copies(), mark, result);
        });
        reached.add("published with an id");
    }

    private Id choose() {
        List<Id> free = ids.stream().filter(id -> !id.asked).toList();
        if (free.isEmpty() || random.nextBoolean()) {
            ids.add(new Id(ids.size()));
            return ids.get(ids.size() - 1);
        }
        return free.get(random.nextInt(free.size()));
    }

    private void answered(Id id, Known before, List<SimCopy> copies, long mark, PublishResult result) {
        if (result instanceof PublishResult.Unknown) {
            return;
        }
        boolean storedBefore = result.equals(new PublishResult.Stored(0));
        if (before == Known.STORED) {
            assertThat(storedBefore).as("stored before, now %s", result).isTrue();
            reached.add("published again");
        } else if (storedBefore && before == Known.UNSURE) {
            assertThat(copies).as("answered as stored before").noneMatch(copy -> copy.acquired);
            copies.forEach(copy -> copy.fate = Fate.GONE);
            id.known = Known.STORED;
            reached.add("in doubt, and stored");
        } else {
            model.answered(copies, mark, result);
            id.known = result instanceof PublishResult.Stored ? Known.STORED : Known.NOT;
            reached.add(before == Known.UNSURE ? "in doubt, and not stored" : "new under its id");
        }
    }
}
