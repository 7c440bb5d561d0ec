package io.mainstem.jms.failover;

import io.mainstem.jms.link.ConnectRequest;
import io.mainstem.jms.link.ConnectionLost;
import io.mainstem.jms.link.LinkConnection;
import io.mainstem.jms.link.LinkTransport;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;

/** Connects to one of several brokers, and to another one when that is lost. Thread: any. */
public final class FailoverTransport implements LinkTransport {
    /** Waits between attempts; attempts themselves block nobody. Made when first needed. */
    private static final class Timer {
        static final ScheduledExecutorService TIMER = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "mainstem-jms-failover");
            thread.setDaemon(true);
            return thread;
        });
    }

    private final LinkTransport transport;

    /** @param transport that makes each single connection */
    public FailoverTransport(LinkTransport transport) {
        this.transport = transport;
    }

    @Override
    public CompletionStage<LinkConnection> connect(ConnectRequest request, ConnectionLost lost) {
        CompletableFuture<LinkConnection> opened = new CompletableFuture<>();
        FailoverConnection connection =
                new FailoverConnection(request, lost, new Attempts(transport, Timer.TIMER, request));
        connection.open(opened);
        return opened;
    }
}
