package io.mainstem.jms;

import io.mainstem.jms.error.Answers;
import io.mainstem.jms.error.Errors;
import io.mainstem.jms.link.DeliveryListener;
import io.mainstem.jms.link.LinkDelivery;
import io.mainstem.jms.link.ReceiverLink;
import io.mainstem.jms.link.ReceiverRequest;
import io.mainstem.jms.message.DeliveryInfo;
import io.mainstem.jms.session.SessionCore;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.jms.Queue;
import jakarta.jms.QueueBrowser;
import java.util.AbstractCollection;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Enumeration;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at a queue and takes nothing. Each enumeration is a scan of its own, in pieces, while the queue goes on. Thread:
 * that of its session.
 */
final class MainstemBrowser implements QueueBrowser {
    private static final Logger LOG = LoggerFactory.getLogger(MainstemBrowser.class);
    private static final int PIECE = 100;

    private final SessionCore session;
    private final Queue queue;
    private final ReceiverRequest request;
    private @Nullable Scan unused;
    private @Nullable Scan last;
    private boolean closed;

    private MainstemBrowser(SessionCore session, Queue queue, ReceiverRequest request) {
        this.session = session;
        this.queue = queue;
        this.request = request;
    }

    /** The first scan is attached now: a wrong selector or a missing queue is told here. */
    static MainstemBrowser open(SessionCore session, Queue queue, ReceiverRequest request) throws JMSException {
        MainstemBrowser browser = new MainstemBrowser(session, queue, request);
        browser.unused = browser.scan();
        return browser;
    }

    private Scan scan() throws JMSException {
        Scan scan = new Scan();
        scan.link = session.attach(request, scan, "browsing " + request.source(), true);
        return scan;
    }

    private void checkUsable() throws JMSException {
        if (closed) {
            throw Errors.closed("browser");
        }
        session.checkUsable();
    }

    @Override
    public Queue getQueue() throws JMSException {
        checkUsable();
        return queue;
    }

    @Override
    public @Nullable String getMessageSelector() throws JMSException {
        checkUsable();
        return request.selector();
    }

    @Override
    public Enumeration<?> getEnumeration() throws JMSException {
        checkUsable();
        Scan next = unused == null ? scan() : unused;
        unused = null;
        if (last != null) {
            last.end();
        }
        last = next;
        return Collections.enumeration(new Messages(next));
    }

    @Override
    public void close() throws JMSException {
        if (!closed) {
            closed = true;
            for (Scan scan : new Scan[] {unused, last}) {
                if (scan != null) {
                    scan.end();
                }
            }
        }
    }

    /** What an enumeration is made of; it is walked once. */
    private static final class Messages extends AbstractCollection<Message> {
        private final Iterator<Message> scan;

        Messages(Iterator<Message> scan) {
            this.scan = scan;
        }

        @Override
        public Iterator<Message> iterator() {
            return scan;
        }

        @Override
        public int size() {
            throw new UnsupportedOperationException("nobody knows the size of a queue that goes on");
        }
    }

    /** One way through the queue. Thread: that of the session; deliveries come on the transport's. */
    private final class Scan implements Iterator<Message>, DeliveryListener {
        private final ArrayDeque<LinkDelivery> waiting = new ArrayDeque<>();
        private @Nullable ReceiverLink link;
        private boolean over;
        private @Nullable Message next;

        @Override
        public synchronized void delivered(LinkDelivery delivery) {
            waiting.add(delivery);
        }

        @Override
        public synchronized void detached(JMSException reason) {
            over = true;
        }

        @Override
        public void interrupted() {
            // What is here can be looked at all the same.
        }

        @Override
        public synchronized void reattached() {
            over = true; // The scan would begin again.
        }

        private synchronized @Nullable LinkDelivery poll() {
            return waiting.poll();
        }

        @Override
        public boolean hasNext() {
            try {
                LinkDelivery delivery = next == null ? poll() : null;
                if (next == null && delivery == null && !over) {
                    delivery = fetched();
                }
                if (delivery != null) {
                    next = session.connection()
                            .messages()
                            .decode(
                                    delivery.message(),
                                    new DeliveryInfo(
                                            request.source(),
                                            delivery.deliveryCount(),
                                            delivery.maybeSeen(),
                                            () -> {}));
                }
            } catch (JMSException e) {
                LOG.warn("MS-0719 browsing ends queue={} cause={} fix: browse again", request.source(), e.getMessage());
                over = true;
            }
            return next != null;
        }

        /** Asks for a piece; when the broker has said that this is all, what came is all there is. */
        private @Nullable LinkDelivery fetched() throws JMSException {
            ReceiverLink attached = link;
            if (attached == null) {
                return null;
            }
            attached.addCredit(PIECE);
            Answers.await(attached.drain(), session.timeouts().requestMs(), "browsing " + request.source());
            LinkDelivery first = poll();
            if (first == null) {
                over = true;
                end();
            }
            return first;
        }

        @Override
        public Message next() {
            Message message = hasNext() ? next : null;
            if (message == null) {
                throw new NoSuchElementException("no more messages in " + request.source());
            }
            next = null;
            return message;
        }

        private void end() {
            over = true;
            ReceiverLink attached = link;
            link = null;
            if (attached != null) {
                var unusedStage = attached.close(true);
            }
        }
    }
}
