package io.mainstem.benchmarks.jms;

/** What providers are compared by; a message is a BytesMessage of 1 KiB. */
enum JmsScenario {
    DURABLE_1("persistent, queue, 1 producer that waits for each send, 1 listener", true, 1, 0, 0),
    DURABLE_16("persistent, queue, 16 producers that wait for each send, 1 listener", true, 16, 0, 0),
    TRANSIENT_1("not persistent, queue, 1 producer, 1 listener", false, 1, 0, 0),
    TRANSIENT_16("not persistent, queue, 16 producers, 1 listener", false, 16, 0, 0),
    TRANSACTED_10("persistent, queue, 1 producer with transactions of 10, 1 listener", true, 1, 10, 0),
    TOPIC_50("persistent, topic, 1 producer that waits for each send, 50 durable subscriptions", true, 1, 0, 50);

    private final String description;
    private final boolean persistent;
    private final int producers;
    private final int batch;
    private final int subscriptions;

    JmsScenario(String description, boolean persistent, int producers, int batch, int subscriptions) {
        this.description = description;
        this.persistent = persistent;
        this.producers = producers;
        this.batch = batch;
        this.subscriptions = subscriptions;
    }

    String description() {
        return description;
    }

    boolean persistent() {
        return persistent;
    }

    int producers() {
        return producers;
    }

    /** Sends of a transaction; 0 = none. */
    int batch() {
        return batch;
    }

    /** 0 = one consumer of a queue. */
    int subscriptions() {
        return subscriptions;
    }

    int copies() {
        return Math.max(1, subscriptions);
    }
}
