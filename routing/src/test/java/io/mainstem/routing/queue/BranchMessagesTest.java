package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.routing.BranchId;
import io.mainstem.routing.DelayedMessage;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.dedup.PublishKey;
import io.mainstem.routing.message.MalformedMessageException;
import io.mainstem.routing.message.Message;
import io.mainstem.routing.message.PublishId;
import io.mainstem.store.ExpiryTimes;
import io.mainstem.store.Route;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Delayed messages, and messages with publish ids, in branches of distributed transactions (ADR 0054). */
final class BranchMessagesTest {
    private static final BranchId ID = BranchId.of(new byte[] {1, 2, 3});
    private static final PublishResult STORED = new PublishResult.Stored(1);
    private static final PublishResult STORED_BEFORE = new PublishResult.Stored(0);
    private static final long HOUR_MS = 3_600_000;

    private final TestBroker broker = new TestBroker();
    private TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    private void restart(String how) {
        if (how.equals("crash")) {
            broker.crash();
        } else if (how.equals("clean stop")) {
            broker.restart();
        }
        client = broker.client();
    }

    private Messages delayed(String exchange, String key, long delayMs) {
        return Messages.to(exchange, key).arrived(broker.nowMs()).deliverAt(broker.nowMs() + delayMs);
    }

    private void prepare(Message... messages) {
        TestTransaction branch = new TestTransaction(client, ID);
        for (Message message : messages) {
            assertThat(branch.publish(message)).isInstanceOf(PublishResult.Stored.class);
        }
        branch.prepare();
    }

    private void commit() {
        client.ask(session -> session.commitPrepared(ID));
    }

    private static Message numbered(long sequence) {
        return with(Messages.durable("q", "p" + sequence), new PublishId.Sequence("p", sequence));
    }

    private static Message named(String name) {
        return with(Messages.durable("q", name), new PublishId.Name(name));
    }

    private static Message with(Message message, PublishId id) {
        return new Message(message.envelope(), message.sections(), id);
    }

    private List<DelayedMessage> delayedMessages() {
        return client.ask(session -> session.delayedMessages("", 10)).messages();
    }

    private int ready(String queue) {
        return (int)
                client.ask(session -> session.status(List.of(queue))).get(0).ready();
    }

    private List<String> drain(String queue) {
        int ready = ready(queue);
        return client.consume(queue).credit(ready).nextTexts(ready);
    }

    // ---- delayed ---------------------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(strings = {"no restart", "clean stop", "crash"})
    @DisplayName(
            "JMS 7.9: committed before its time, a delayed message comes at its time, once, over restarts at any step")
    void committedInTime(String between) {
        client.declare("q");
        prepare(delayed("", "q", 2 * HOUR_MS).text("a"));
        restart(between);
        commit();
        restart(between);
        TestConsumer consumer = client.consume("q").credit(5);
        broker.advanceMs(2 * HOUR_MS - 1);
        client.sync();
        assertThat(consumer.texts()).isEmpty();

        broker.advanceMs(1);

        assertThat(consumer.nextText()).isEqualTo("a");
        consumer.settle(0, 0, Outcome.ACCEPTED);
        client.sync();
        restart("crash");
        broker.advanceMs(2 * HOUR_MS);
        client.sync();
        assertThat(client.consume("q").credit(5).texts()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"no restart", "clean stop", "crash"})
    @DisplayName("JMS 7.9: committed after its time, a delayed message comes with the commit, not before")
    void committedLate(String between) {
        client.declare("q");
        prepare(delayed("", "q", 1000).text("a"));
        broker.advanceMs(3 * HOUR_MS);
        restart(between);
        TestConsumer consumer = client.consume("q").credit(5);
        client.sync();
        assertThat(consumer.texts()).isEmpty();

        commit();

        assertThat(consumer.nextText()).isEqualTo("a");
    }

    @Test
    @DisplayName("rolled back, a delayed message never comes")
    void rolledBack() {
        client.declare("q");
        prepare(delayed("", "q", 1000).text("a"));

        client.ask(session -> session.rollbackPrepared(ID));
        broker.advanceMs(HOUR_MS);
        client.sync();

        assertThat(client.delete("q")).isZero();
        assertThat(broker.transactionBytes()).isZero();
    }

    @Test
    @DisplayName(
            "its queues are those at its publish, in memory ones too; it expires there as it would without a branch")
    void goesWhereItWasRouted() {
        client.declare("q", Map.of("x-message-ttl", 500L));
        client.declare(new QueueSpec("volatile", false, false, false, false, Map.of()));
        client.bind("amq.topic", "q", "k");
        client.bind("amq.topic", "volatile", "k");
        prepare(delayed("amq.topic", "k", 1000).text("a"));
        client.declare("later");
        client.bind("amq.topic", "later", "k");
        commit();

        broker.advanceMs(1000);
        client.sync();

        assertThat(client.consume("volatile").credit(1).nextText()).isEqualTo("a");
        assertThat(client.delete("later")).isZero();
        assertThat(ready("q")).isEqualTo(1);
        broker.advanceMs(500);
        client.sync();
        assertThat(client.delete("q")).isZero();
    }

    @Test
    @DisplayName("[L-8] a delayed message of a branch that has committed can be cancelled by its id")
    void cancelled() {
        client.declare("q");
        prepare(delayed("", "q", 1000).text("a"));
        assertThat(delayedMessages()).isEmpty();
        commit();
        List<DelayedMessage> waiting = delayedMessages();
        assertThat(waiting).hasSize(1);

        client.ask(session -> session.cancelDelayed(waiting.get(0).id()));

        broker.advanceMs(1000);
        client.sync();
        assertThat(client.delete("q")).isZero();
    }

    @Test
    @DisplayName("one-phase commit of a branch takes both kinds, too")
    void onePhase() {
        client.declare("q");
        TestTransaction branch = new TestTransaction(client, ID);
        branch.publish(delayed("", "q", 1000).text("a"));
        branch.publish(numbered(1));
        branch.commit();
        assertThat(client.publish(numbered(1))).isEqualTo(STORED_BEFORE);

        broker.advanceMs(1000);
        client.sync();

        assertThat(drain("q")).containsExactly("p1", "a");
    }

    // ---- publish ids -----------------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(strings = {"no restart", "clean stop", "crash"})
    @DisplayName("[L-9] publish ids count from the commit on, over restarts before and after it")
    void claimedByTheCommit(String between) {
        client.declare("q");
        prepare(numbered(1), named("order-7"), numbered(1));
        restart(between);
        commit();
        restart(between);

        assertThat(client.publish(List.of(numbered(1), named("order-7"), numbered(2))))
                .containsExactly(STORED_BEFORE, STORED_BEFORE, STORED);
        assertThat(drain("q")).containsExactly("p1", "order-7", "p2");
    }

    @ParameterizedTest
    @ValueSource(strings = {"no restart", "crash"})
    @DisplayName(
            "[L-9] what somebody else has stored meanwhile is left out at the commit; nobody waits for the decision")
    void storedMeanwhile(String between) {
        client.declare("q");
        prepare(named("a"), named("b"));
        restart(between);
        assertThat(client.publish(named("a"))).isEqualTo(STORED);

        commit();

        assertThat(drain("q")).containsExactly("a", "b");
        assertThat(client.publish(List.of(named("a"), named("b")))).containsExactly(STORED_BEFORE, STORED_BEFORE);
    }

    @Test
    @DisplayName("[L-9] the ids of a branch that is rolled back are free")
    void rollbackFreesIds() {
        client.declare("q");
        prepare(numbered(1), named("a"));

        client.ask(session -> session.rollbackPrepared(ID));

        assertThat(client.publish(List.of(numbered(1), named("a")))).containsExactly(STORED, STORED);
    }

    @Test
    @DisplayName("[L-9] what is not durable is published once, too")
    void notDurable() {
        client.declare("q");
        Message message = with(Messages.nonDurable("q", "x"), new PublishId.Name("n"));
        prepare(message);
        client.publish(message);

        commit();

        assertThat(drain("q")).containsExactly("x");
    }

    @Test
    @DisplayName("[L-9] a sequence too far behind its producer's others rolls the branch back at its prepare")
    void forgottenSequence() {
        client.declare("q");
        client.publish(numbered(100_000));
        TestTransaction branch = new TestTransaction(client, ID);
        branch.publish(numbered(1));

        assertThatThrownBy(branch::prepare).hasMessageContaining("MS-0372");

        new TestTransaction(client, ID).prepare();
    }

    @Test
    @DisplayName("[L-9] a sequence forgotten between prepare and commit is stored: what is prepared can commit")
    void forgottenMeanwhile() {
        client.declare("q");
        prepare(numbered(1));
        client.publish(numbered(100_000));

        commit();

        assertThat(drain("q")).containsExactly("p100000", "p1");
    }

    @Test
    @DisplayName("a prepare record keeps publish ids; without any it is one that an earlier version understands")
    void prepareRecord() {
        PreparedBranch.Waiting plain = new PreparedBranch.Waiting(List.of(new Route(7, 4)), ExpiryTimes.NEVER, null);
        PreparedBranch.Waiting sequence = new PreparedBranch.Waiting(
                List.of(new Route(7, 4)), ExpiryTimes.NEVER, new PublishKey.Sequence("dedup/a/b/", "p", 1L << 40));
        PreparedBranch.Waiting name = new PreparedBranch.Waiting(
                List.of(new Route(8, 0)), ExpiryTimes.of(5), new PublishKey.Name("dedup/a/b/", "00ff"));

        PreparedBranch without = new PreparedBranch("/", ID, "anna", 7, List.of(plain), List.of());
        PreparedBranch with = new PreparedBranch("/", ID, "anna", 7, List.of(sequence, plain, name), List.of());

        assertThat(without.encode()[0]).isEqualTo((byte) 2);
        assertThat(with.encode()[0]).isEqualTo((byte) 3);
        assertThat(keys(PreparedBranch.decode(with.encode()))).isEqualTo(keys(with));
        assertThat(keys(PreparedBranch.decode(without.encode()))).isEqualTo(keys(without));
    }

    @Test
    @DisplayName("[D-5] whatever the bytes of a prepare record are: a branch, or MalformedMessageException")
    void damagedPrepareRecord() {
        PreparedBranch.Waiting message = new PreparedBranch.Waiting(
                List.of(new Route(7, 4), new Route(9, 0)),
                ExpiryTimes.of(5),
                new PublishKey.Sequence("dedup/a/b/", "p", 1L << 40));
        PreparedBranch.Locked lock = new PreparedBranch.Locked(300L << 8, 70_000, PreparedBranch.Ending.REJECTED);
        byte[] sound = new PreparedBranch("/", ID, "anna", 7, List.of(message, message), List.of(lock)).encode();

        for (int at = 0; at < sound.length; at++) {
            byte[] cut = Arrays.copyOf(sound, at);
            assertThatThrownBy(() -> PreparedBranch.decode(cut)).isInstanceOf(MalformedMessageException.class);
            for (int mask : new int[] {1, 0x80, 0xFF, 0x55}) {
                byte[] damaged = sound.clone();
                damaged[at] ^= (byte) mask;
                try {
                    PreparedBranch.decode(damaged);
                } catch (MalformedMessageException expected) {
                    // As good.
                }
            }
        }
        sound[0] = 4;
        assertThatThrownBy(() -> PreparedBranch.decode(sound)).hasMessageContaining("version 4 (expected: 1 to 3)");
    }

    private static List<String> keys(PreparedBranch branch) {
        return branch.messages().stream()
                .map(message -> String.valueOf(message.key()))
                .toList();
    }
}
