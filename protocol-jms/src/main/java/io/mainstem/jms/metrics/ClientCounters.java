package io.mainstem.jms.metrics;

import java.util.concurrent.atomic.LongAdder;

/** Counts what the connections of one factory do, from its first connection on. Thread: any. */
public final class ClientCounters {
    private final LongAdder connectionsOpen = new LongAdder();
    private final LongAdder sessionsOpen = new LongAdder();
    private final LongAdder sent = new LongAdder();
    private final LongAdder sendFailures = new LongAdder();
    private final LongAdder received = new LongAdder();
    private final LongAdder acknowledged = new LongAdder();
    private final LongAdder failovers = new LongAdder();
    private final LongAdder resent = new LongAdder();

    /** Connections that are open now; one under failover stays open while a broker is looked for. */
    public long connectionsOpen() {
        return connectionsOpen.sum();
    }

    /** Sessions that are open now, those of contexts included. */
    public long sessionsOpen() {
        return sessionsOpen.sum();
    }

    /** Messages that the broker has taken, those of transactions when they were sent. */
    public long sent() {
        return sent.sum();
    }

    /** Messages that were refused, or whose answer never came. */
    public long sendFailures() {
        return sendFailures.sum();
    }

    /** Messages that the application got, each time it got them. */
    public long received() {
        return received.sum();
    }

    /** Messages that were acknowledged, those of transactions when they were received. */
    public long acknowledged() {
        return acknowledged.sum();
    }

    /** How often a lost connection was made again. */
    public long failovers() {
        return failovers.sum();
    }

    /** Messages that were in doubt after a lost connection and went out again. */
    public long resent() {
        return resent.sum();
    }

    /** A connection was opened, or closed by the application. */
    public void connection(boolean opened) {
        connectionsOpen.add(opened ? 1 : -1);
    }

    /** A session was opened, or closed, be it with its connection. */
    public void session(boolean opened) {
        sessionsOpen.add(opened ? 1 : -1);
    }

    /** The broker has answered to a message, or never will. */
    public void outcome(boolean taken) {
        (taken ? sent : sendFailures).increment();
    }

    /** The application has got a message. */
    public void delivered() {
        received.increment();
    }

    /** An acknowledgement has left. */
    public void acknowledgement() {
        acknowledged.increment();
    }

    /** A lost connection was made again. */
    public void failover() {
        failovers.increment();
    }

    /** Messages go out once more. */
    public void resending(int messages) {
        resent.add(messages);
    }
}
