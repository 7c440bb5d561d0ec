package io.mainstem.jms.failover;

import io.mainstem.jms.link.ConnectRequest;
import io.mainstem.jms.link.ConnectionLost;
import io.mainstem.jms.link.LinkConnection;
import io.mainstem.jms.link.LinkTransport;
import io.mainstem.jms.options.Endpoint;
import io.mainstem.jms.options.FailoverOptions;
import jakarta.jms.InvalidClientIDException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Rounds over the endpoints, with longer and longer waits between. Thread: any; one search at a time. */
final class Attempts {
    private static final Logger LOG = LoggerFactory.getLogger(Attempts.class);

    private final LinkTransport transport;
    private final ScheduledExecutorService timer;
    private final ConnectRequest request;
    private final FailoverOptions options;
    private final List<Endpoint> endpoints;

    Attempts(LinkTransport transport, ScheduledExecutorService timer, ConnectRequest request) {
        this.transport = transport;
        this.timer = timer;
        this.request = request;
        FailoverOptions given = request.options().failover();
        this.options = given == null ? FailoverOptions.DEFAULT : given;
        this.endpoints = new ArrayList<>(request.options().endpoints());
        if (options.randomize()) {
            Collections.shuffle(endpoints);
        }
    }

    /** Adds brokers that the current one has named. */
    synchronized void learn(List<Endpoint> others) {
        for (Endpoint other : others) {
            if (!endpoints.contains(other)) {
                endpoints.add(other);
            }
        }
    }

    private synchronized List<Endpoint> endpoints() {
        return List.copyOf(endpoints);
    }

    /**
     * Looks for a broker.
     *
     * @param first at creation: other limits, and a refused client identifier is final
     * @param abandoned asked before each attempt; the search ends without a result
     */
    CompletableFuture<LinkConnection> search(boolean first, ConnectionLost lost, BooleanSupplier abandoned) {
        CompletableFuture<LinkConnection> found = new CompletableFuture<>();
        int rounds = first && options.startAttemptsMax() >= 0 ? options.startAttemptsMax() : options.attemptsMax();
        Search search = new Search(first, rounds, lost, abandoned, found);
        if (first || options.initialDelayMs() == 0) {
            search.attempt(0, endpoints());
        } else {
            later(() -> search.attempt(0, endpoints()), options.initialDelayMs());
        }
        return found;
    }

    /** Runs it after a while, on the timer's thread. */
    void later(Runnable task, long delayMs) {
        var unused = timer.schedule(task, delayMs, TimeUnit.MILLISECONDS);
    }

    /** One way from a loss to the next connection. */
    private final class Search {
        private final boolean first;
        private final int roundsMax;
        private final ConnectionLost lost;
        private final BooleanSupplier abandoned;
        private final CompletableFuture<LinkConnection> found;
        private int round = 1;
        private long delayMs = options.delayMs();

        Search(
                boolean first,
                int roundsMax,
                ConnectionLost lost,
                BooleanSupplier abandoned,
                CompletableFuture<LinkConnection> found) {
            this.first = first;
            this.roundsMax = roundsMax;
            this.lost = lost;
            this.abandoned = abandoned;
            this.found = found;
        }

        void attempt(int index, List<Endpoint> tried) {
            if (abandoned.getAsBoolean() || found.isDone()) {
                found.cancel(false);
                return;
            }
            ConnectRequest one =
                    new ConnectRequest(tried.get(index), request.options(), request.containerId(), request.counters());
            var unused = transport.connect(one, lost).whenComplete((connection, failure) -> {
                if (failure == null) {
                    if (!found.complete(connection)) {
                        var unusedClose = connection.close();
                    }
                } else {
                    next(index, tried, unwrapped(failure));
                }
            });
        }

        private void next(int index, List<Endpoint> tried, Throwable failure) {
            boolean refused =
                    failure instanceof JMSSecurityException || (first && failure instanceof InvalidClientIDException);
            boolean last = index + 1 >= tried.size();
            if (refused || (last && roundsMax >= 0 && round >= roundsMax)) {
                found.completeExceptionally(failure);
            } else if (last) {
                LOG.debug("no broker in round {}: {}; again in {} ms", round, failure.getMessage(), delayMs);
                round++;
                later(() -> attempt(0, endpoints()), delayMs);
                delayMs = Math.min(options.delayMaxMs(), delayMs * 2);
            } else {
                attempt(index + 1, tried);
            }
        }
    }

    static Throwable unwrapped(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    static JMSException asJms(Throwable failure) {
        Throwable cause = unwrapped(failure);
        if (cause instanceof JMSException jms) {
            return jms;
        }
        JMSException wrapped =
                new JMSException("MS-0704 the connection is lost: " + cause + "; fix: connect again", "MS-0704");
        wrapped.initCause(cause);
        return wrapped;
    }
}
