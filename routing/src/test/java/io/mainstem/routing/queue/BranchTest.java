package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mainstem.routing.Branch;
import io.mainstem.routing.BranchId;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.QueueInfo;
import io.mainstem.routing.QueueSpec;
import io.mainstem.routing.access.AccessPolicy;
import io.mainstem.routing.access.AccessRule;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Branches of distributed transactions ([L-9], ADR 0013). */
final class BranchTest {
    private static final BranchId ID = BranchId.of(new byte[] {1, 2, 3});

    private final TestBroker broker = new TestBroker();
    private final TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    private static List<BranchId> prepared(TestClient by) {
        return by.ask(session -> session.preparedBranches());
    }

    private static void commit(TestClient by) {
        by.ask(session -> session.commitPrepared(ID));
    }

    private static void rollback(TestClient by) {
        by.ask(session -> session.rollbackPrepared(ID));
    }

    /** Takes "1" from "in", of "1" and "2", answers to "out", and prepares. */
    private TestConsumer prepareOne() {
        client.declare("in");
        client.declare("out");
        client.send("in", "1", "2");
        TestConsumer consumer = client.consume("in").credit(1);
        TestTransaction branch = new TestTransaction(client, ID);
        branch.settle(consumer, consumer.next(), Outcome.ACCEPTED);
        branch.send("out", "answer");
        branch.prepare();
        return consumer;
    }

    @ParameterizedTest
    @ValueSource(strings = {"no restart", "clean stop", "crash"})
    @DisplayName("prepared: sends are invisible and settlements locked, until the commit, also over a restart")
    void twoPhaseCommit(String between) {
        TestConsumer consumer = prepareOne();
        TestClient now = client;
        if (between.equals("no restart")) {
            consumer.close();
        } else {
            now = restarted(between);
        }

        assertThat(prepared(now)).containsExactly(ID);
        assertThat(now.consume("in").credit(5).nextText()).isEqualTo("2");
        TestConsumer answers = now.consume("out").credit(5);
        assertThat(answers.texts()).isEmpty();

        commit(now);

        assertThat(answers.nextText()).isEqualTo("answer");
        assertThat(prepared(now)).isEmpty();
        assertThat(now.delete("in")).isEqualTo(1);
        TestClient again = restarted("crash");
        assertThat(prepared(again)).isEmpty();
        assertThat(again.consume("out").credit(5).nextText()).isEqualTo("answer");
    }

    @ParameterizedTest
    @ValueSource(strings = {"no restart", "clean stop", "crash"})
    @DisplayName("rolled back: sends are gone, settlements are ready again in order, as failed once more")
    void rollbackOfPrepared(String between) {
        TestConsumer consumer = prepareOne();
        TestClient now = client;
        if (between.equals("no restart")) {
            consumer.close();
        } else {
            now = restarted(between);
        }

        rollback(now);

        TestConsumer next = now.consume("in").credit(5);
        Delivery first = next.next();
        assertThat(Messages.text(first)).isEqualTo("1");
        assertThat(first.failed()).isEqualTo(1);
        assertThat(next.nextText()).isEqualTo("2");
        assertThat(now.delete("out")).isZero();
        assertThat(prepared(now)).isEmpty();
    }

    private TestClient restarted(String how) {
        if (how.equals("crash")) {
            broker.crash();
        } else {
            broker.restart();
        }
        return broker.client();
    }

    @Test
    @DisplayName("the end of the session leaves what is prepared, and rolls back what is not")
    void endOfSession() {
        client.declare("q");
        TestClient coordinator = broker.client();
        TestTransaction kept = new TestTransaction(coordinator, ID);
        kept.send("q", "kept").prepare();
        BranchId active = BranchId.of(new byte[] {9});
        new TestTransaction(coordinator, active).send("q", "lost");

        coordinator.close();

        assertThat(prepared(client)).containsExactly(ID);
        commit(client);
        assertThat(client.consume("q").credit(5).nextText()).isEqualTo("kept");
        new TestTransaction(client, active).commit();
    }

    @Test
    @DisplayName("one-phase commit leaves nothing to recover")
    void onePhaseCommit() {
        client.declare("q");
        new TestTransaction(client, ID).send("q", "1").commit();

        assertThat(client.consume("q").credit(5).nextText()).isEqualTo("1");
        assertThat(prepared(client)).isEmpty();
        new TestTransaction(client, ID).rollback();
    }

    @Test
    void aNameIsUsedOnceAtATime() {
        TestTransaction first = new TestTransaction(client, ID);
        assertThat(TestClient.refusal(() -> new TestTransaction(client, ID))).isEqualTo(ErrorKind.ALREADY_EXISTS);
        first.prepare();
        assertThat(TestClient.refusal(() -> new TestTransaction(client, ID))).isEqualTo(ErrorKind.ALREADY_EXISTS);
        broker.crash();
        TestClient after = broker.client();
        assertThat(TestClient.refusal(() -> new TestTransaction(after, ID))).isEqualTo(ErrorKind.ALREADY_EXISTS);
        rollback(after);
        new TestTransaction(after, ID).rollback();
    }

    @Test
    void unknownNames() {
        assertThat(TestClient.refusal(() -> commit(client))).isEqualTo(ErrorKind.NOT_FOUND);
        assertThat(TestClient.refusal(() -> rollback(client))).isEqualTo(ErrorKind.NOT_FOUND);
    }

    @Test
    @DisplayName("a branch that can only be rolled back is not prepared")
    void rollbackOnlyBranch() {
        client.declare("q");
        TestTransaction branch = new TestTransaction(client, ID);
        branch.send("q", "1");
        assertThat(branch.publish(Messages.to("missing", "k").text("2"))).isInstanceOf(PublishResult.Refused.class);

        assertThat(TestClient.refusal(branch::prepare)).isEqualTo(ErrorKind.ROLLED_BACK);

        assertThat(prepared(client)).isEmpty();
        new TestTransaction(client, ID).commit();
    }

    @Test
    @DisplayName("queues that are purged or deleted while a branch is prepared take their part of it with them")
    void queuesGoMeanwhile() {
        client.declare("in");
        client.declare("out");
        client.declare("gone");
        client.send("in", "1");
        TestConsumer consumer = client.consume("in").credit(1);
        TestTransaction branch = new TestTransaction(client, ID);
        branch.settle(consumer, consumer.next(), Outcome.ACCEPTED);
        branch.send("gone", "x").send("out", "y").prepare();

        client.delete("in");
        client.delete("gone");
        broker.crash();
        TestClient after = broker.client();
        commit(after);

        assertThat(after.consume("out").credit(5).nextText()).isEqualTo("y");
    }

    @Test
    @DisplayName("a prepared branch pins the log it needs: many segments and checkpoints later it can be committed")
    void preparedIsPinned() {
        client.declare("q");
        client.declare("other");
        TestTransaction branch = new TestTransaction(client, ID);
        for (int i = 0; i < 300; i++) {
            branch.send("q", "kept " + i);
        }
        branch.prepare();
        TestConsumer other = client.consume("other").credit(1000);
        for (int i = 0; i < 40; i++) {
            client.publish(Messages.to("", "other").bytes(new byte[512 << 10]));
            other.settle(other.next(), Outcome.ACCEPTED);
        }
        broker.restart();

        TestClient after = broker.client();
        commit(after);

        TestConsumer consumer = after.consume("q").credit(1000);
        for (int i = 0; i < 300; i++) {
            assertThat(consumer.nextText()).isEqualTo("kept " + i);
        }
    }

    @Test
    @DisplayName("fan-out: each queue of a message gets it with the commit")
    void fanOut() {
        client.declare("a");
        client.declare(new QueueSpec("b", true, false, false, false, Map.of()));
        client.bind("amq.fanout", "a", "");
        client.bind("amq.fanout", "b", "");
        TestTransaction branch = new TestTransaction(client, ID);
        branch.publish(Messages.to("amq.fanout", "k").text("both"));
        branch.prepare();
        broker.crash();
        TestClient after = broker.client();

        commit(after);

        assertThat(after.consume("a").credit(1).nextText()).isEqualTo("both");
        assertThat(after.consume("b").credit(1).nextText()).isEqualTo("both");
    }

    @Test
    @DisplayName("[T-4] what a branch has brought expires in time though nobody consumes")
    void committedMessagesExpire() {
        client.declare("dead");
        client.declare("q", Map.of("x-dead-letter-exchange", "", "x-dead-letter-routing-key", "dead"));
        TestTransaction branch = new TestTransaction(client, ID);
        branch.publish(
                Messages.to("", "q").arrived(broker.nowMs()).withTtl(1000).text("1"));
        branch.prepare();
        commit(client);

        broker.advanceMs(1000);

        assertThat(client.consume("dead").credit(1).nextText()).isEqualTo("1");
    }

    @Test
    @DisplayName("what a branch has brought counts for its queue's limit at once")
    void committedMessagesAreLimited() {
        client.declare("q", Map.of("x-max-length", 1L));
        TestTransaction branch = new TestTransaction(client, ID);
        branch.send("q", "1", "2").prepare();

        commit(client);
        client.sync();

        assertThat(client.delete("q")).isEqualTo(1);
    }

    @Test
    @DisplayName("non-durable messages of a prepared branch take their room until it is decided, durable ones do not")
    void preparedMessagesInMemoryAreBounded() {
        client.declare("q");
        TestTransaction branch = new TestTransaction(client, ID);
        branch.send("q", "durable").publish(Messages.nonDurable("q", "light"));
        long both = broker.transactionBytes();
        branch.prepare();

        assertThat(broker.transactionBytes()).isPositive().isLessThan(both);
        commit(client);

        assertThat(broker.transactionBytes()).isZero();
        assertThat(client.consume("q").credit(5).nextTexts(2)).containsExactlyInAnyOrder("durable", "light");
    }

    private static List<AccessRule> rules(String... texts) {
        return List.of(texts).stream().map(AccessRule::parse).toList();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @DisplayName("a prepared branch is its user's and the administrators', also after a restart")
    void branchesOfOthers(boolean restart) {
        List<AccessRule> use = rules("allow configure queue *", "allow write queue *", "allow read queue *");
        broker.access(AccessPolicy.of(Map.of("alice", use, "bob", use, "root", rules("allow configure broker *"))));
        TestClient alice = broker.client("alice");
        alice.declare("q");
        new TestTransaction(alice, ID).send("q", "1").prepare();
        if (restart) {
            broker.crash();
        }
        TestClient bob = broker.client("bob");

        assertThat(prepared(bob)).isEmpty();
        assertThat(TestClient.refusal(() -> commit(bob))).isEqualTo(ErrorKind.ACCESS_REFUSED);
        assertThat(TestClient.refusal(() -> rollback(bob))).isEqualTo(ErrorKind.ACCESS_REFUSED);

        TestClient again = broker.client("alice");
        assertThat(prepared(again)).containsExactly(ID);
        assertThat(prepared(broker.client("root"))).containsExactly(ID);
        commit(again);
        assertThat(again.consume("q").credit(5).nextText()).isEqualTo("1");
        BranchId second = BranchId.of(new byte[] {7});
        new TestTransaction(again, second).prepare();
        broker.client("root").ask(session -> session.rollbackPrepared(second));
        assertThat(prepared(again)).isEmpty();
    }

    @Test
    @DisplayName("a record of a version that did not keep the user is read, and is for administrators")
    void recordWithoutUser() {
        PreparedBranch old = new PreparedBranch("/", ID, null, 7, List.of(), List.of());
        PreparedBranch read = PreparedBranch.decode(old.encode());

        assertThat(old.encode()[0]).isEqualTo((byte) 1);
        assertThat(read).isEqualTo(old);
        assertThat(new BranchUser("/", "anonymous", false).mayDecide(read)).isFalse();
        assertThat(new BranchUser("/", "root", true).mayDecide(read)).isTrue();
    }

    @Test
    @DisplayName("a coordinator that never decides fills neither memory nor log: 10,000 branches a virtual host")
    void preparedBranchesAreBounded() {
        client.ask(session -> {
            CompletionStage<Void> last = CompletableFuture.completedFuture(null);
            for (int number = 0; number < 10_000; number++) {
                last = session.begin(BranchId.of(new byte[] {2, (byte) (number >> 8), (byte) number}))
                        .prepare();
            }
            return last;
        });

        assertThatThrownBy(() -> new TestTransaction(client, ID).prepare()).hasMessageContaining("MS-0371");

        client.ask(session -> session.rollbackPrepared(BranchId.of(new byte[] {2, 0, 0})));
        new TestTransaction(client, ID).prepare();
        assertThat(prepared(client)).hasSize(10_000);
    }

    @Test
    @DisplayName("a full disk that refuses a branch does not bring back queue ids that are in use")
    void queueIdsAfterAFullDisk() {
        client.declare("q");
        byte[] payload = new byte[256 << 10];
        client.publish(Collections.nCopies(20, Messages.to("", "q").bytes(payload)));
        broker.files().awaitReserve(2);
        broker.restart();
        TestClient now = broker.client();
        broker.files().fill(true);
        // How much fits depends on what the log had prepared by then.
        List<PublishResult> answered;
        do {
            answered = now.publish(Collections.nCopies(20, Messages.to("", "q").bytes(payload)));
        } while (answered.stream().allMatch(PublishResult.Stored.class::isInstance));
        List<CompletionStage<?>> answers = new ArrayList<>();

        // The branch takes the first id since the restart; the queue behind it is decided before it is refused.
        now.onLoop(() -> {
            Branch branch = now.session().begin(ID);
            branch.publish(Messages.durable("q", "1"));
            answers.add(branch.prepare());
            answers.add(now.session().declareQueue(QueueSpec.durable("behind")));
            now.session().flush();
            return true;
        });
        assertThat(TestClient.refusal(() -> TestClient.get(answers.get(0)))).isEqualTo(ErrorKind.ROLLED_BACK);
        int id = ((QueueInfo) TestClient.get(answers.get(1))).queueId();
        broker.crash();
        broker.files().fill(false);

        assertThat(broker.client().declare("next").queueId()).isGreaterThan(id);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "ADR 0029: a heuristic outcome takes effect, is told to the coordinator, survives a crash, until forgotten")
    void heuristicOutcomes(boolean committed) {
        prepareOne();
        client.ask(session -> session.decideHeuristically(ID, committed));

        broker.crash();
        TestClient coordinator = broker.client();

        assertThat(prepared(coordinator)).as("recover tells it").containsExactly(ID);
        for (Runnable decision : List.<Runnable>of(() -> commit(coordinator), () -> rollback(coordinator))) {
            assertThatThrownBy(decision::run)
                    .hasMessageContaining("MS-0374")
                    .hasMessageContaining(committed ? "was committed heuristically" : "was rolled back heuristically");
        }
        assertThat(TestClient.refusal(() -> new TestTransaction(coordinator, ID)))
                .as("its name is in use")
                .isEqualTo(ErrorKind.ALREADY_EXISTS);
        assertThat(coordinator.consume("out").credit(5).texts(committed ? 1 : 0))
                .hasSize(committed ? 1 : 0);

        coordinator.ask(session -> session.forgetBranch(ID));
        broker.crash();

        TestClient later = broker.client();
        assertThat(prepared(later)).isEmpty();
        assertThat(TestClient.refusal(() -> later.ask(session -> session.forgetBranch(ID))))
                .isEqualTo(ErrorKind.NOT_FOUND);
        assertThat(TestClient.refusal(() -> commit(later))).isEqualTo(ErrorKind.NOT_FOUND);
    }

    @Test
    @DisplayName("ADR 0029: what is prepared and not decided cannot be forgotten")
    void preparedIsNotForgotten() {
        prepareOne();

        assertThat(TestClient.refusal(() -> client.ask(session -> session.forgetBranch(ID))))
                .isEqualTo(ErrorKind.PRECONDITION_FAILED);
        commit(client);
    }
}
