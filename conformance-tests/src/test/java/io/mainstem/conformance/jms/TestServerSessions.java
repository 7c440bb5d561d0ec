package io.mainstem.conformance.jms;

import jakarta.jms.JMSException;
import jakarta.jms.ServerSession;
import jakarta.jms.ServerSessionPool;
import jakarta.jms.Session;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** The part of an application server: some sessions, each run by a thread when a connection consumer starts it. */
final class TestServerSessions implements ServerSessionPool, AutoCloseable {
    private final BlockingQueue<ServerSession> free;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicInteger starts = new AtomicInteger();

    TestServerSessions(Session... sessions) {
        free = new ArrayBlockingQueue<>(sessions.length);
        for (Session session : sessions) {
            free.add(new Member(session));
        }
    }

    private final class Member implements ServerSession {
        private final Session session;

        Member(Session session) {
            this.session = session;
        }

        @Override
        public Session getSession() {
            return session;
        }

        @Override
        public void start() {
            starts.incrementAndGet();
            threads.execute(() -> {
                session.run();
                free.add(this);
            });
        }
    }

    /** Waits until one is free, as the specification allows. */
    @Override
    public ServerSession getServerSession() throws JMSException {
        try {
            return free.take();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JMSException("interrupted");
        }
    }

    int starts() {
        return starts.get();
    }

    @Override
    public void close() {
        threads.shutdown();
    }
}
