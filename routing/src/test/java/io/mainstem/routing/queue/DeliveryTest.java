package io.mainstem.routing.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.mainstem.routing.ConsumerSpec;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.ErrorKind;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.message.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Who gets which message, when, and in which order. */
final class DeliveryTest {
    private final TestBroker broker = new TestBroker();
    private final TestClient client = broker.client();

    @AfterEach
    void close() {
        broker.close();
    }

    private static ConsumerSpec spec(boolean exclusive, boolean browse, boolean settled, int priority) {
        return new ConsumerSpec("c", exclusive, browse, settled, priority, Outcome.FAILED);
    }

    private static String[] numbers(int from, int to) {
        return IntStream.range(from, to).mapToObj(Integer::toString).toArray(String[]::new);
    }

    @Test
    void messagesComeInTheOrderOfTheirConfirms() {
        client.declare("q");
        client.send("q", numbers(0, 1000));

        TestConsumer consumer = client.consume("q").credit(1000);

        assertThat(consumer.nextTexts(1000)).containsExactly(numbers(0, 1000));
    }

    @Test
    void messagesThatAreNoLongerInMemoryComeInOrderToo() {
        TestBroker small = new TestBroker(new ShardSettings(4096, 4096, 1 << 20, 1 << 20, 1 << 30, 1 << 20));
        TestClient its = small.client();
        its.declare("q");
        its.send("q", numbers(0, 1000));

        TestConsumer consumer = its.consume("q").credit(1000);

        assertThat(consumer.nextTexts(1000)).containsExactly(numbers(0, 1000));
        small.close();
    }

    @Test
    void severalQueuesShareTheBudgetForReading() {
        TestBroker small = new TestBroker(new ShardSettings(1024, 1024, 1 << 20, 1 << 20, 1 << 30, 1 << 20));
        TestClient its = small.client();
        List<TestConsumer> consumers = new ArrayList<>();
        for (String name : numbers(0, 10)) {
            its.declare(name);
            its.send(name, numbers(0, 50));
        }
        for (String name : numbers(0, 10)) {
            consumers.add(its.consume(name).credit(50));
        }

        for (TestConsumer consumer : consumers) {
            assertThat(consumer.nextTexts(50)).containsExactly(numbers(0, 50));
        }
        small.close();
    }

    @Test
    void consumersOfEqualPriorityTakeTurns() {
        client.declare("q");
        TestConsumer first = client.consume("q").credit(100);
        TestConsumer second = client.consume("q").credit(100);

        client.send("q", numbers(0, 10));

        assertThat(first.texts(5)).containsExactly("0", "2", "4", "6", "8");
        assertThat(second.texts(5)).containsExactly("1", "3", "5", "7", "9");
    }

    @Test
    void aConsumerOfHigherPriorityComesFirstWhileItHasCredit() {
        client.declare("q");
        TestConsumer low = client.consume("q", spec(false, false, false, 0)).credit(100);
        TestConsumer high = client.consume("q", spec(false, false, false, 5)).credit(2);

        client.send("q", "a", "b", "c");

        assertThat(high.texts(2)).containsExactly("a", "b");
        assertThat(low.texts(1)).containsExactly("c");
    }

    @Test
    void nothingIsDeliveredBeyondTheCredit() {
        client.declare("q");
        client.send("q", numbers(0, 10));
        TestConsumer consumer = client.consume("q").credit(3);

        assertThat(consumer.texts(3)).containsExactly("0", "1", "2");
        assertThat(consumer.credit(2).texts(2)).containsExactly("3", "4");
    }

    @Test
    void creditMayBeTakenBack() {
        client.declare("q");
        TestConsumer consumer = client.consume("q").limit(5, false).limit(0, false);

        client.send("q", "a");

        assertThat(consumer.texts()).isEmpty();
    }

    @Test
    void drainDeliversWhatIsThereAndGivesUpTheRest() {
        client.declare("q");
        client.send("q", "a", "b");
        TestConsumer consumer = client.consume("q").limit(10, true);

        assertThat(consumer.awaitDrained()).isEqualTo(10);
        assertThat(consumer.texts(2)).containsExactly("a", "b");
        client.send("q", "c");
        assertThat(consumer.texts()).isEmpty();
        assertThat(consumer.limit(3, false).texts(1)).containsExactly("c");
    }

    @Test
    void drainOfAnEmptyQueueIsAnsweredAtOnce() {
        client.declare("q");

        assertThat(client.consume("q").limit(1, true).awaitDrained()).isEqualTo(1);
    }

    @Test
    void drainWaitsForMessagesThatMustBeRead() {
        TestBroker small = new TestBroker(new ShardSettings(1024, 1 << 20, 1 << 20, 1 << 20, 1 << 30, 1 << 20));
        TestClient its = small.client();
        its.declare("q");
        its.send("q", numbers(0, 300));

        TestConsumer consumer = its.consume("q").limit(1000, true);

        assertThat(consumer.awaitDrained()).isEqualTo(1000);
        assertThat(consumer.texts()).containsExactly(numbers(0, 300));
        small.close();
    }

    @Test
    @DisplayName("[T-5] what is given back returns to its position, before newer messages")
    void releasedMessagesKeepTheirPosition() {
        client.declare("q");
        client.send("q", numbers(0, 6));
        TestConsumer first = client.consume("q").credit(3);
        first.nextTexts(3);

        first.settle(0, 2, Outcome.RELEASED);
        TestConsumer second = client.consume("q").credit(6);

        assertThat(second.nextTexts(6)).containsExactly(numbers(0, 6));
    }

    @Test
    @DisplayName("[L-8] higher priorities overtake; within one the order is that of arrival")
    void higherPrioritiesAreDeliveredFirst() {
        client.declare("q");
        for (int priority : new int[] {4, 9, 0, -1, 9, 30}) {
            client.publish(Messages.to("", "q").withPriority(priority).text("p" + priority));
        }

        TestConsumer consumer = client.consume("q").credit(10);

        assertThat(consumer.nextTexts(6)).containsExactly("p9", "p9", "p30", "p4", "p-1", "p0");
    }

    @Test
    void aQueueDeclaredWithoutPrioritiesKeepsTheOrderOfArrival() {
        client.declare("q", Map.of("x-max-priority", 0L));
        for (int priority : new int[] {4, 9, 0}) {
            client.publish(Messages.to("", "q").withPriority(priority).text("p" + priority));
        }

        assertThat(client.consume("q").credit(3).nextTexts(3)).containsExactly("p4", "p9", "p0");
    }

    @Test
    void anExclusiveConsumerIsAlone() {
        client.declare("q");
        TestConsumer only = client.consume("q", spec(true, false, false, 0));

        assertThat(TestClient.refusal(() -> client.consume("q"))).isEqualTo(ErrorKind.LOCKED);
        only.close();
        client.consume("q");
        assertThat(TestClient.refusal(() -> client.consume("q", spec(true, false, false, 0))))
                .isEqualTo(ErrorKind.LOCKED);
    }

    @Test
    void aBrowserSeesReadyMessagesAndTakesNone() {
        client.declare("q");
        client.send("q", numbers(0, 300));
        client.publish(Messages.nonDurable("q", "in memory"));

        TestConsumer browser = client.consume("q", spec(false, true, true, 0)).limit(1000, true);

        assertThat(browser.awaitDrained()).isEqualTo(1000);
        assertThat(browser.texts()).hasSize(301).contains("0", "299", "in memory");
        assertThat(client.consume("q").credit(1000).nextTexts(301)).contains("0", "299", "in memory");
    }

    @Test
    void aPresettledConsumerOwesNoAnswer() {
        client.declare("q");
        client.send("q", "a");
        TestConsumer consumer = client.consume("q", spec(false, false, true, 0)).credit(5);

        assertThat(consumer.nextText()).isEqualTo("a");
        consumer.close();
        assertThat(client.consume("q").credit(5).texts()).isEmpty();
        assertThat(client.delete("q")).isZero();
    }

    @Test
    @DisplayName("[A-3] a message reaches a queue once however many bindings match")
    void fanOutReachesEachQueueOnce() {
        client.declare("q1");
        client.declare("q2");
        client.bind("amq.topic", "q1", "a.*");
        client.bind("amq.topic", "q1", "#");
        client.bind("amq.topic", "q2", "a.b");
        Message message = Messages.to("amq.topic", "a.b").text("m");

        assertThat(client.publish(message)).isEqualTo(new PublishResult.Stored(2));

        TestConsumer first = client.consume("q1").credit(10);
        TestConsumer second = client.consume("q2").credit(10);
        assertThat(first.texts(1)).containsExactly("m");
        assertThat(second.texts(1)).containsExactly("m");
    }

    @Test
    void aConsumerThatClosesGetsNothingMore() {
        client.declare("q");
        TestConsumer consumer = client.consume("q").credit(10);
        consumer.close();

        client.send("q", "a");

        assertThat(consumer.texts()).isEmpty();
        Delivery delivery = client.consume("q").credit(1).next();
        assertThat(Messages.text(delivery)).isEqualTo("a");
        assertThat(delivery.acquired()).isFalse();
    }

    @Test
    void oneStuckDeliveryDoesNotHoldUpOthers() {
        client.declare("q");
        client.send("q", numbers(0, 2000));
        TestConsumer consumer = client.consume("q").credit(2000);
        consumer.nextTexts(2000);

        for (int id = 1; id < 2000; id++) {
            consumer.settle(id, id, Outcome.ACCEPTED);
        }
        consumer.close(Outcome.RELEASED);

        assertThat(client.consume("q").credit(10).texts(1)).containsExactly("0");
    }
}
