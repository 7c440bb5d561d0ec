package io.mainstem.benchmarks.peers;

import io.mainstem.benchmarks.amqp.LoadPlan;

/** What brokers are compared by. */
enum Scenario {
    ONE_IN_FLIGHT("durable, 1 KiB, 1 producer, 1 unconfirmed, 1 consumer") {
        @Override
        LoadPlan plan() {
            return LoadPlan.durable("one").by(1, 1, 1);
        }
    },
    WINDOW_500("durable, 1 KiB, 1 producer, 500 unconfirmed, 1 consumer") {
        @Override
        LoadPlan plan() {
            return LoadPlan.durable("window").by(1, 1, 500);
        }
    },
    SIXTEEN_PRODUCERS("durable, 1 KiB, 16 producers, 1 unconfirmed each, 1 consumer") {
        @Override
        LoadPlan plan() {
            return LoadPlan.durable("sixteen").by(16, 1, 1);
        }
    },
    FAN_OUT_50("durable, 1 KiB, 1 producer, 100 unconfirmed, 50 durable subscriptions of a topic") {
        @Override
        LoadPlan plan() {
            return LoadPlan.durable("fan.out").toTopic().by(1, 50, 100);
        }
    },
    TRANSIENT_500("not durable, 1 KiB, 1 producer, 500 unconfirmed, 1 consumer") {
        @Override
        LoadPlan plan() {
            return LoadPlan.durable("transient").with(new LoadPlan.Body(false, 1024));
        }
    },
    TRANSACTIONS_10("durable, 1 KiB, transactions of 10, 1 producer, 1 consumer") {
        @Override
        LoadPlan plan() {
            return LoadPlan.durable("transactions").inTransactionsOf(10);
        }
    };

    private final String description;

    Scenario(String description) {
        this.description = description;
    }

    String description() {
        return description;
    }

    abstract LoadPlan plan();
}
