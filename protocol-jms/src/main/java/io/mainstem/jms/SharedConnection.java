package io.mainstem.jms;

import jakarta.jms.JMSException;

/** A connection under several contexts; the last one closes it. Thread: any. */
final class SharedConnection {
    private final MainstemConnection connection;
    private int contexts;

    SharedConnection(MainstemConnection connection) {
        this.connection = connection;
    }

    MainstemConnection connection() {
        return connection;
    }

    synchronized void begin() {
        contexts++;
    }

    /** @throws JMSException if this was the last context and its connection cannot be closed here */
    void end() throws JMSException {
        boolean last;
        synchronized (this) {
            last = --contexts == 0;
        }
        if (last) {
            connection.close();
        }
    }
}
