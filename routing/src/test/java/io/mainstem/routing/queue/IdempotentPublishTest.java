package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.routing.PublishResult;
import io.mainstem.routing.dedup.DedupLimits;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.PublishId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Messages that are published again because nobody knew whether they had arrived ([L-9], ADR 0027). */
final class IdempotentPublishTest {
    private static final PublishResult STORED = new PublishResult.Stored(1);
    private static final PublishResult STORED_BEFORE = new PublishResult.Stored(0);
    private static final long AGE_MS = 60_000;

    private final TestBroker broker =
            new TestBroker(ShardSettings.forHeap(1 << 30).with(new DedupLimits(3, 3, AGE_MS, 1_000)));
    private TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    private static Message numbered(String producer, long sequence) {
        return with(Messages.durable("q", producer + sequence), new PublishId.Sequence(producer, sequence));
    }

    private static Message named(String queue, String name) {
        return with(Messages.durable(queue, queue + name), new PublishId.Name(name));
    }

    private static Message with(Message message, PublishId id) {
        return new Message(message.envelope(), message.sections(), id);
    }

    private List<String> drain(String queue) {
        int ready = (int)
                client.ask(session -> session.status(List.of(queue))).get(0).ready();
        return client.consume(queue).credit(ready).nextTexts(ready);
    }

    private void crash() {
        broker.crash();
        client = broker.client();
    }

    @Test
    @DisplayName("[L-9] what is published again with producer and sequence is answered as stored, and stored once")
    void storedOnce() {
        client.declare("q");

        assertThat(client.publish(List.of(numbered("p", 1), numbered("p", 2), numbered("p", 1), numbered("p", 2))))
                .containsExactly(STORED, STORED, STORED_BEFORE, STORED_BEFORE);
        assertThat(client.publish(numbered("other", 1))).isEqualTo(STORED);

        assertThat(drain("q")).containsExactly("p1", "p2", "other1");
    }

    @Test
    @DisplayName("[L-9] the window survives a crash, and a clean restart")
    void survivesACrash() {
        client.declare("q");
        client.publish(List.of(numbered("p", 5), named("q", "order-7")));

        crash();
        assertThat(client.publish(List.of(numbered("p", 5), named("q", "order-7"), numbered("p", 6))))
                .containsExactly(STORED_BEFORE, STORED_BEFORE, STORED);

        broker.restart();
        client = broker.client();
        assertThat(client.publish(List.of(numbered("p", 6), numbered("p", 5))))
                .containsExactly(STORED_BEFORE, STORED_BEFORE);
        assertThat(drain("q")).containsExactly("p5", "qorder-7", "p6");
    }

    @Test
    @DisplayName("[L-9] sequences may have gaps and come in any order within the window")
    void gapsAndOrder() {
        client.declare("q");

        assertThat(client.publish(List.of(numbered("p", 3000), numbered("p", 10), numbered("p", 10))))
                .containsExactly(STORED, STORED, STORED_BEFORE);
    }

    @Test
    @DisplayName("[L-9] a sequence that nobody can know any more is refused, not guessed")
    void tooFarBehindIsRefused() {
        client.declare("q");
        client.publish(List.of(numbered("p", 1), numbered("p", 10_000)));

        PublishResult result = client.publish(numbered("p", 1));

        assertThat(result)
                .isInstanceOfSatisfying(
                        PublishResult.Refused.class,
                        refused -> assertThat(refused.text()).contains("MS-0372", "sequences from 6144 on are known"));
    }

    @Test
    @DisplayName("[L-9] a dedup id tells messages to one address apart; elsewhere it is another message")
    void namesBelongToAnAddress() {
        client.declare("q");
        client.declare("r");

        assertThat(client.publish(List.of(named("q", "a"), named("r", "a"), named("q", "a"), named("r", "a"))))
                .containsExactly(STORED, STORED, STORED_BEFORE, STORED_BEFORE);
    }

    @Test
    void idsOfAnotherUserAreOthers() {
        client.declare("q");
        TestClient anna = broker.client("anna");

        assertThat(client.publish(numbered("p", 1))).isEqualTo(STORED);
        assertThat(anna.publish(numbered("p", 1))).isEqualTo(STORED);
        assertThat(broker.client("anna").publish(numbered("p", 1))).isEqualTo(STORED_BEFORE);
    }

    @Test
    @DisplayName("[L-9] the same message published on two connections at a time is stored once")
    void atTheSameTimeFromTwoConnections() {
        client.declare("q");
        TestClient other = broker.client();
        List<Message> messages = new ArrayList<>();
        for (int sequence = 0; sequence < 500; sequence++) {
            messages.add(numbered("p", sequence));
        }
        var first = java.util.concurrent.CompletableFuture.supplyAsync(() -> client.publish(messages));
        List<PublishResult> second = other.publish(messages);

        List<PublishResult> all = new ArrayList<>(TestClient.get(first));
        all.addAll(second);
        assertThat(all).filteredOn(STORED::equals).hasSize(500);
        assertThat(all).filteredOn(STORED_BEFORE::equals).hasSize(500);
        assertThat(drain("q")).hasSize(500);
    }

    @Test
    @DisplayName("[L-9] a message that was refused or went nowhere is not taken for stored when it comes again")
    void whatWasNotStoredIsNotKnown() {
        client.declare("q", Map.of("x-max-length", 1L, "x-overflow", "reject-publish"));
        assertThat(client.publish(with(Messages.durable("nowhere", "x"), new PublishId.Sequence("p", 1))))
                .isInstanceOf(PublishResult.Unroutable.class);
        assertThat(client.publish(numbered("p", 1))).isEqualTo(STORED);
        client.sync();
        assertThat(client.publish(numbered("p", 2))).isInstanceOf(PublishResult.Refused.class);

        assertThat(client.publish(numbered("p", 1)))
                .as("full, but it has that one")
                .isEqualTo(STORED_BEFORE);
        client.purge("q");
        client.sync();
        assertThat(client.publish(numbered("p", 2))).isEqualTo(STORED);
    }

    @Test
    @DisplayName("[L-9] order: what follows a message with an id does not overtake it")
    void orderIsKept() {
        client.declare("q");

        client.publish(
                List.of(Messages.durable("q", "a"), numbered("p", 1), Messages.durable("q", "b"), numbered("p", 2)));

        assertThat(drain("q")).containsExactly("a", "p1", "b", "p2");
    }

    @Test
    @DisplayName("[L-9] in a transaction what is stored already is left out, the rest is committed")
    void inATransaction() {
        client.declare("q");
        client.publish(numbered("p", 1));
        TestTransaction transaction = new TestTransaction(client);
        for (long sequence : List.of(1L, 2L, 2L, 3L)) {
            transaction.publish(numbered("p", sequence));
        }

        transaction.commit();
        crash();

        assertThat(client.publish(List.of(numbered("p", 2), numbered("p", 3))))
                .containsExactly(STORED_BEFORE, STORED_BEFORE);
        assertThat(drain("q")).containsExactly("p1", "p2", "p3");
        assertThat(broker.transactionBytes()).isZero();
    }

    @Test
    @DisplayName("[L-9] the ids of a transaction that was rolled back are free")
    void aRollbackFreesIds() {
        client.declare("q");
        TestTransaction transaction = new TestTransaction(client);
        transaction.publish(numbered("p", 1));
        transaction.rollback();

        assertThat(client.publish(numbered("p", 1))).isEqualTo(STORED);
    }

    @Test
    @DisplayName("[L-9] the window is bounded by count, in memory and after a restart")
    void boundedByCount() {
        client.declare("q");
        for (int each = 0; each < 10; each++) {
            client.publish(List.of(numbered("p" + each, 1), named("q", "n" + each)));
        }

        crash();

        assertThat(broker.publishedIds()).isLessThanOrEqualTo(8);
        assertThat(client.publish(List.of(numbered("p9", 1), named("q", "n9"), numbered("p0", 1), named("q", "n0"))))
                .as("the latest are known, the oldest are not")
                .containsExactly(STORED_BEFORE, STORED_BEFORE, STORED, STORED);
    }

    @Test
    @DisplayName("[L-9] the window is bounded by age")
    void boundedByAge() {
        client.declare("q");
        client.publish(List.of(numbered("p", 1), named("q", "n")));

        broker.passMs(AGE_MS);
        assertThat(client.publish(List.of(numbered("p", 1), named("q", "n"))))
                .containsExactly(STORED_BEFORE, STORED_BEFORE);
        broker.passMs(2 * AGE_MS);

        assertThat(client.publish(List.of(numbered("p", 1), named("q", "n")))).containsExactly(STORED, STORED);
    }

    @Test
    void aMessageThatIsNotDurableIsTakenOnceToo() {
        client.declare("q");
        Message message = with(Messages.nonDurable("q", "x"), new PublishId.Name("n"));

        assertThat(client.publish(Collections.nCopies(2, message))).containsExactly(STORED, STORED_BEFORE);
        assertThat(drain("q")).containsExactly("x");
    }

    private void fillTheDisk() {
        client.declare("q");
        byte[] payload = new byte[256 << 10];
        client.publish(Collections.nCopies(20, Messages.to("", "q").bytes(payload)));
        broker.files().awaitReserve(2);
        client.purge("q");
        broker.files().fill(true);
        client.publish(Collections.nCopies(60, Messages.to("", "q").bytes(payload)));
    }

    @Test
    @DisplayName("[L-10] a transaction that a full disk has rolled back leaves its ids free")
    void rolledBackByAFullDisk() {
        fillTheDisk();
        TestTransaction transaction = new TestTransaction(client);
        transaction.publish(numbered("p", 1));
        transaction.publish(numbered("p", 2));

        assertThatThrownBy(transaction::commit).hasMessageContaining("MS-0360");
        assertThat(client.publish(numbered("p", 1))).isInstanceOf(PublishResult.Refused.class);

        client.purge("q");
        broker.files().fill(false);
        crash();
        transaction = new TestTransaction(client);
        transaction.publish(numbered("p", 1));
        transaction.publish(numbered("p", 2));
        transaction.commit();
        assertThat(client.publish(numbered("p", 1))).isEqualTo(STORED_BEFORE);
        assertThat(drain("q")).containsExactly("p1", "p2");
    }

    @Test
    @DisplayName("[L-10] a full disk refuses it, and its id stays free")
    void refusedByAFullDisk() {
        fillTheDisk();
        assertThat(client.publish(numbered("p", 1))).isInstanceOf(PublishResult.Refused.class);

        client.purge("q");
        broker.files().fill(false);
        crash();

        assertThat(client.publish(numbered("p", 1))).isEqualTo(STORED);
        assertThat(client.publish(numbered("p", 1))).isEqualTo(STORED_BEFORE);
    }

    @Test
    @DisplayName(
            "[L-9] what a full queue refuses is dead-lettered as it would be without an id, a repeat of a stored one is not")
    void refusedByAFullQueueWithDeadLetters() {
        client.declare("dead");
        client.declare(
                "q",
                Map.of(
                        "x-max-length", 1L,
                        "x-overflow", "reject-publish-dlx",
                        "x-dead-letter-exchange", "",
                        "x-dead-letter-routing-key", "dead"));
        client.publish(numbered("p", 1));
        client.sync();

        assertThat(client.publish(numbered("p", 1))).isEqualTo(STORED_BEFORE);
        assertThat(client.publish(numbered("p", 2))).isInstanceOf(PublishResult.Refused.class);

        assertThat(client.consume("dead").credit(5).nextTexts(1)).containsExactly("p2");
    }
}
