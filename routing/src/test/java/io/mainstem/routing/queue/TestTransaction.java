package io.mainstem.routing.queue;

import io.mainstem.routing.Branch;
import io.mainstem.routing.BranchId;
import io.mainstem.routing.BrokerException;
import io.mainstem.routing.Delivery;
import io.mainstem.routing.Outcome;
import io.mainstem.routing.PublishResult;
import io.mainstem.routing.Transaction;
import io.mainstem.routing.message.Message;
import java.util.concurrent.CompletionStage;

/** A transaction driven step by step from a test. */
final class TestTransaction {
    private final TestClient client;
    private final Transaction transaction;

    TestTransaction(TestClient client) {
        this.client = client;
        this.transaction = client.onLoop(() -> client.session().begin());
    }

    /** A branch of this name. */
    TestTransaction(TestClient client, BranchId id) {
        this.client = client;
        this.transaction = client.onLoop(() -> client.session().begin(id));
    }

    void prepare() {
        client.ask(session -> ((Branch) transaction).prepare());
    }

    PublishResult publish(Message message) {
        return client.onLoop(() -> transaction.publish(message));
    }

    TestTransaction send(String queue, String... texts) {
        for (String text : texts) {
            publish(Messages.durable(queue, text));
        }
        return this;
    }

    /** As clients do that settle at once. */
    TestTransaction settle(TestConsumer consumer, Delivery delivery, Outcome outcome) {
        return settle(consumer, delivery.deliveryId(), delivery.deliveryId(), outcome, true);
    }

    TestTransaction settle(TestConsumer consumer, long first, long last, Outcome outcome, boolean settled) {
        client.onLoop(() -> {
            transaction.settle(consumer.handle(), first, last, outcome, settled);
            client.session().flush();
            return true;
        });
        return this;
    }

    void rollbackOnly(BrokerException why) {
        client.onLoop(() -> {
            transaction.rollbackOnly(why);
            return true;
        });
    }

    void commit() {
        client.ask(session -> commitOnLoop());
    }

    /** On the event loop already; flushing is left to the caller. */
    CompletionStage<Void> commitOnLoop() {
        return transaction.commit();
    }

    void rollback() {
        client.ask(session -> transaction.rollback());
    }
}
